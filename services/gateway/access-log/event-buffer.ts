import { backoffMs } from '../../../shared/backoff.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { EventStream } from '../../../shared/ports/event-stream.ts';

export interface EventBuffer<Event> {
  /** Never waits, never throws. */
  add(event: Event): void;
  /** Events that are not in the stream yet. */
  readonly buffered: number;
  /** Sends the buffered events, for three seconds at the most; those not acknowledged by then count as dropped. */
  stop(): Promise<void>;
}

export interface EventBufferLimits {
  /** A batch leaves when it has so many events or characters, or this long after its first event, in ms. */
  batchEvents: number;
  batchCharacters: number;
  batchMs: number;
  /** Most batches that wait for their acknowledgement at once. */
  batchesUnderWay: number;
  /** Above these limits the oldest event is dropped. Events of batches under way count as buffered, too. */
  bufferedEvents: number;
  bufferedCharacters: number;
}

/**
 * 32 million characters are 32 MB, as a character of a request's head is a byte in memory, or counts as two. Under way
 * each has a second copy as it travels: another 4 MB at the most.
 */
export const EVENT_BUFFER_LIMITS: EventBufferLimits = {
  batchEvents: 5_000,
  batchCharacters: 524_288,
  batchMs: 200,
  batchesUnderWay: 4,
  bufferedEvents: 50_000,
  bufferedCharacters: 32_000_000,
};

interface EventBufferOptions<Event> {
  stream: EventStream;
  /** Characters that an event adds to those of the batch in memory; those of two bytes count twice. */
  sizeOf(event: Event): number;
  /** Begins a batch. */
  open(): GrowingBatch<Event>;
  log: Logger;
  onDropped(count: number): void;
  limits?: EventBufferLimits;
}

/** Events that will leave together. */
export interface GrowingBatch<Event> {
  add(event: Event): void;
  removeFirst(): void;
  /** The batch as it travels. */
  encode(id: string): Uint8Array;
}

interface Chunk<Event> {
  batch: GrowingBatch<Event>;
  /** Characters of each event; the oldest first. */
  sizes: number[];
  characters: number;
}

/** Between attempts to send a batch. */
const BACKOFF = { firstMs: 100, lastMs: 2_000 };

const STOP_LIMIT_MS = 3_000;

/**
 * Gathers events into batches for the stream. A batch keeps its id over all attempts, so that it is in the stream
 * once. While the stream is away events gather up to the limits, then the oldest are dropped and counted.
 */
export function createEventBuffer<Event>(options: EventBufferOptions<Event>): EventBuffer<Event> {
  const { stream, sizeOf, open, log, onDropped, limits = EVENT_BUFFER_LIMITS } = options;
  /** Oldest first; only the last one grows. */
  const waiting: Chunk<Event>[] = [];
  let buffered = 0;
  let characters = 0;
  let underWay = 0;
  let timer: Timer | undefined;
  /** Whether batches are sent although they are not full. */
  let due = false;
  let away = false;
  let stopped = false;
  let drained: (() => void) | null = null;

  const isFull = (chunk: Chunk<Event>): boolean =>
    chunk.sizes.length >= limits.batchEvents || chunk.characters >= limits.batchCharacters;

  const drop = (count: number): void => {
    buffered -= count;
    onDropped(count);
  };

  const dropOldest = (): void => {
    const [oldest] = waiting;
    const size = oldest?.sizes.shift();
    if (oldest === undefined || size === undefined) return;
    oldest.batch.removeFirst();
    oldest.characters -= size;
    characters -= size;
    if (oldest.sizes.length === 0) waiting.shift();
    drop(1);
  };

  /** Sends full batches, and others that are due, as long as there is room on the way. */
  const send = (): void => {
    while (underWay < limits.batchesUnderWay) {
      const [next] = waiting;
      if (next === undefined) due = false;
      if (next === undefined || !(due || isFull(next))) return;
      waiting.shift();
      void deliver(next);
    }
  };

  const deliver = async ({ batch, sizes, characters: length }: Chunk<Event>): Promise<void> => {
    underWay += 1;
    const count = sizes.length;
    const id = crypto.randomUUID();
    const bytes = batch.encode(id);
    for (let failures = 1; !(await publish(id, bytes)); failures++) {
      if (stopped) return;
      await Bun.sleep(backoffMs(failures, BACKOFF));
    }
    if (stopped) return;
    underWay -= 1;
    buffered -= count;
    characters -= length;
    send();
    if (buffered === 0) drained?.();
  };

  const publish = async (id: string, bytes: Uint8Array): Promise<boolean> => {
    try {
      await stream.publish(id, bytes);
      if (away) log.info({ buffered }, 'access events can be sent again');
      away = false;
      return true;
    } catch (error) {
      if (!away) log.warn({ error, buffered }, 'access events cannot be sent; they are kept and sent later');
      away = true;
      return false;
    }
  };

  const sendAll = (): void => {
    clearTimeout(timer);
    timer = undefined;
    due = true;
    send();
  };

  return {
    add(event) {
      if (stopped) {
        onDropped(1);
        return;
      }
      let last = waiting.at(-1);
      if (last === undefined || isFull(last)) {
        last = { batch: open(), sizes: [], characters: 0 };
        waiting.push(last);
      }
      last.batch.add(event);
      const size = sizeOf(event);
      last.sizes.push(size);
      last.characters += size;
      characters += size;
      buffered += 1;
      while (buffered > limits.bufferedEvents || characters > limits.bufferedCharacters) {
        if (waiting.length === 0) break;
        dropOldest();
      }
      if (isFull(last)) send();
      else if (!due) timer ??= setTimeout(sendAll, limits.batchMs);
    },
    get buffered() {
      return buffered;
    },
    async stop() {
      sendAll();
      if (buffered > 0) {
        const empty = new Promise<void>((resolve) => {
          drained = resolve;
        });
        await Promise.race([empty, Bun.sleep(STOP_LIMIT_MS)]);
      }
      stopped = true;
      if (buffered === 0) return;
      log.error({ events: buffered }, 'access events were dropped at the stop');
      drop(buffered);
    },
  };
}
