import { ErrorCode, type JetStreamClient, type JetStreamManager, type NatsConnection, NatsError } from 'nats';
import { within } from '../../deadline.ts';
import { errors } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { PerchError } from '../../perch-error.ts';
import type { EventStream } from '../../ports/event-stream.ts';
import { connectToNats } from '../nats-connection.ts';
import { startConsumeLoop } from './nats-loop.ts';
import {
  createPositionCheck,
  ensureConsumer,
  ensureStream,
  namesOf,
  type StreamSettings,
} from './nats-resources.ts';

interface NatsEventStreamOptions {
  url: string;
  /** Shown in the server's connection list. */
  name: string;
  /** The stream's name on the server: letters, digits and dashes. */
  stream: string;
  log: Logger;
  /** Most bytes the stream holds: 1 GB unless said otherwise. */
  maxBytes?: number;
  /** On how many servers of a cluster the stream is: unless said otherwise as it is, and one for a new one. */
  replicas?: number | null;
  /** How long a consumer that has died keeps its messages, in ms: 10 seconds unless said otherwise. */
  ackWaitMs?: number;
}

/** Longest a message may take into the stream, and any other question, in ms. */
const REQUEST_LIMIT_MS = 3_000;

/**
 * Pauses between tries to publish, in ms: while another client makes the stream, the server tells of it a moment before
 * it takes messages.
 */
const NEW_STREAM_PAUSES_MS = [20, 50, 100, 200];

interface Connected {
  connection: NatsConnection;
  jetstream: JetStreamClient;
  manager: JetStreamManager;
  /** Whether the server is there right now. */
  up: boolean;
}

/**
 * An event stream in NATS JetStream. Its first use opens a connection of its own, so that events under load do not delay
 * requests, and creates the stream, also when somebody has deleted it meanwhile.
 */
export function createNatsEventStream(options: NatsEventStreamOptions): EventStream {
  const { url, name, log, maxBytes = 1_073_741_824, replicas = null, ackWaitMs = 10_000 } = options;
  const names = namesOf(options.stream);
  const settings: StreamSettings = {
    maxBytes,
    replicas,
    onTooFew: (error) =>
      log.error({ error, replicas }, 'the stream cannot have so many copies; it stays as it is'),
  };
  let connecting: Promise<Connected> | null = null;

  const open = async (): Promise<Connected> => {
    const connection = await connectToNats(url, `${name} events`);
    const jetstream = connection.jetstream({ timeout: REQUEST_LIMIT_MS });
    // Unchecked: a server without JetStream says so when it is used.
    const manager = await jetstream.jetstreamManager(false);
    const connected: Connected = { connection, jetstream, manager, up: true };
    void watch(connected, log);
    return connected;
  };

  const reach = async (): Promise<Connected> => {
    connecting ??= open().catch((error: unknown) => {
      connecting = null;
      throw errors.unavailable('event stream', error);
    });
    const connected = await connecting;
    // The client would queue a message for a lost connection; the sender has to know at once.
    if (!connected.up) throw errors.unavailable('event stream');
    return connected;
  };

  const publish = async (jetstream: JetStreamClient, id: string, bytes: Uint8Array): Promise<void> => {
    await jetstream.publish(names.subject, bytes, { msgID: id, timeout: REQUEST_LIMIT_MS });
  };

  const publishToNew = async (jetstream: JetStreamClient, id: string, bytes: Uint8Array): Promise<void> => {
    for (const pause of NEW_STREAM_PAUSES_MS) {
      try {
        return await publish(jetstream, id, bytes);
      } catch (error) {
        if (!isMissing(error)) throw error;
        await Bun.sleep(pause);
      }
    }
    await publish(jetstream, id, bytes);
  };

  return {
    async publish(id, bytes) {
      try {
        const { jetstream, manager } = await reach();
        await publish(jetstream, id, bytes).catch(async (error: unknown) => {
          if (!isMissing(error)) throw error;
          await ensureStream(manager, names, settings);
          await publishToNew(jetstream, id, bytes);
        });
      } catch (error) {
        throw error instanceof PerchError ? error : errors.unavailable('event stream', error);
      }
    },
    async consume({ maxMessages }, handler) {
      const isMisplaced = createPositionCheck(names);
      return startConsumeLoop({
        maxMessages,
        handler,
        ackWaitMs,
        log,
        async open() {
          const { manager } = await reach();
          await ensureStream(manager, names, settings);
          return await ensureConsumer(manager, names, ackWaitMs);
        },
        async removeIfStuck() {
          const { manager } = await reach();
          if (!(await isMisplaced(manager))) return false;
          log.warn({ stream: names.stream }, 'the consumer is beyond messages of the stream; it starts anew');
          await manager.consumers.delete(names.stream, names.consumer);
          return true;
        },
        async flush() {
          const { connection } = await reach();
          await within(connection.flush(), REQUEST_LIMIT_MS, () => errors.unavailable('event stream'));
        },
      });
    },
    async waiting() {
      const { manager } = await reach();
      try {
        const { num_pending, num_ack_pending } = await manager.consumers.info(names.stream, names.consumer);
        return num_pending + num_ack_pending;
      } catch (error) {
        // Its first consumer makes it, with the stream.
        if (error instanceof NatsError && error.api_error?.code === 404) return 0;
        throw errors.unavailable('event stream', error);
      }
    },
    async check() {
      const { manager } = await reach();
      await manager.streams.info(names.stream).catch((error: unknown) => {
        throw errors.unavailable('event stream', error);
      });
    },
    async close() {
      const connected = await connecting?.catch(() => null);
      await connected?.connection.close();
    },
  };
}

/** Nobody takes the subject: the stream is not there. */
const isMissing = (error: unknown): boolean =>
  error instanceof NatsError && error.code === ErrorCode.NoResponders && error.api_error === undefined;

async function watch(connected: Connected, log: Logger): Promise<void> {
  for await (const { type } of connected.connection.status()) {
    if (type !== 'disconnect' && type !== 'reconnect') continue;
    connected.up = type === 'reconnect';
    log.warn(`event stream: ${type}`);
  }
}
