import type { Consumer, JsMsg } from 'nats';
import { backoffMs } from '../../backoff.ts';
import type { Logger } from '../../logger.ts';
import type { Subscription } from '../../ports/bus.ts';
import type { ConsumeLimits, EventMessage } from '../../ports/event-stream.ts';
import { createPause } from '../../sweep/pause.ts';

export interface ConsumeLoopOptions extends ConsumeLimits {
  /** Makes the consumer, or finds it: asked at the start and after every failure. */
  open(): Promise<Consumer>;
  handler(messages: EventMessage[]): Promise<void>;
  /** Removes a consumer that would not hand out all there is, and returns whether it had to. Called every few seconds. */
  removeIfStuck(): Promise<boolean>;
  /** Sends what the client still holds, acknowledgements above all. */
  flush(): Promise<void>;
  /** After this time without a word the server hands a message to another, in ms. */
  ackWaitMs: number;
  log: Logger;
}

/** How long a fetch gathers messages before it hands over what it has, in ms: the least the client allows. */
const GATHER_MS = 1_000;

/** Time between two looks at whether the consumer hands out all there is, in ms. */
const STUCK_CHECK_MS = 5_000;

const BACKOFF = { firstMs: 250, lastMs: 5_000 };

/** The header that carries a message's id (NATS documentation, "Message Deduplication"). */
const ID_HEADER = 'Nats-Msg-Id';

/** Fetches, hands over and acknowledges, one round after the other, until drained. */
export function startConsumeLoop(options: ConsumeLoopOptions): Subscription {
  const { log } = options;
  const pause = createPause();
  let draining = false;
  let failures = 0;

  const retryMs = (): number => backoffMs(failures + 1, BACKOFF);

  const handle = async (fetched: JsMsg[]): Promise<void> => {
    const sayWorking = setInterval(() => {
      for (const message of fetched) message.working();
    }, options.ackWaitMs / 3);
    try {
      await options.handler(fetched.map(toEventMessage));
    } catch (error) {
      for (const message of fetched) message.nak(retryMs());
      throw error;
    } finally {
      clearInterval(sayWorking);
    }
    for (const message of fetched) message.ack();
    await options.flush();
  };

  const loop = (async () => {
    let consumer: Consumer | null = null;
    let nextCheckAt = 0;
    while (!draining) {
      try {
        consumer ??= await options.open();
        if (performance.now() >= nextCheckAt) {
          nextCheckAt = performance.now() + STUCK_CHECK_MS;
          if (await options.removeIfStuck()) consumer = await options.open();
        }
        const { fetched, failure } = await fetchSome(consumer, options.maxMessages);
        if (fetched.length > 0) await handle(fetched);
        if (failure !== null) throw failure;
        failures = 0;
      } catch (error) {
        consumer = null;
        log.warn({ error, retryMs: retryMs() }, 'events could not be consumed; they come again');
        if (!draining) await pause.wait(retryMs());
        failures += 1;
      }
    }
  })();

  return {
    async drain() {
      draining = true;
      pause.cutShort();
      await loop;
    },
  };
}

/**
 * Fetches messages until the batch is full or its time is over. Messages that arrived before a failure are returned,
 * too.
 */
async function fetchSome(
  consumer: Consumer,
  maxMessages: number,
): Promise<{ fetched: JsMsg[]; failure: unknown }> {
  const fetched: JsMsg[] = [];
  try {
    for await (const message of await consumer.fetch({ max_messages: maxMessages, expires: GATHER_MS })) {
      fetched.push(message);
    }
  } catch (failure) {
    return { fetched, failure };
  }
  return { fetched, failure: null };
}

const toEventMessage = (message: JsMsg): EventMessage => ({
  id: message.headers?.get(ID_HEADER) ?? '',
  bytes: message.data,
});
