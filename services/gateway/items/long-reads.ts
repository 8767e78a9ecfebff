import type { FairBudget, Holding } from '../admission/fair-budget.ts';
import { createAnswerWatch, type LongReader, type ReadPace } from './answer-watch.ts';

/** Reads that last as long as their readers take (`LONG_READS`). */
export interface LongReads {
  /**
   * A stream that holds one of the client's slots until it ends, and is closed when its reader is too slow.
   * @throws UNAVAILABLE when no slot comes free in time; what `open` throws
   */
  stream(
    client: string,
    open: () => Promise<ReadableStream<Uint8Array>>,
  ): Promise<ReadableStream<Uint8Array>>;
  /**
   * A body that holds one of the client's slots until the answer is over: a file, which is sent with its length, else a
   * stream as `stream` makes it.
   * @throws UNAVAILABLE when no slot comes free in time; what `source` throws
   */
  body(reader: LongReader, source: LongSource): Promise<Blob | ReadableStream<Uint8Array>>;
}

/** Where the bytes of a long read come from. */
interface LongSource {
  /** `null`: they are in no file, and can be in none now. */
  file(): Promise<FileRange | null>;
  stream(): Promise<ReadableStream<Uint8Array>>;
}

/**
 * About 4 KB a second. Between the stream and a reader lie the buffers of the kernel, which ask for more only when a third
 * of them is empty: a shorter window would close readers that are fast enough.
 */
export const MIN_PACE: ReadPace = { windowMs: 60_000, minBytes: 262_144 };

interface LongReadOptions {
  slots: FairBudget;
  /** Called for each reader that was too slow. */
  onSlow(): void;
  pace?: ReadPace;
}

export function createLongReads({ slots, onSlow, pace = MIN_PACE }: LongReadOptions): LongReads {
  const answers = createAnswerWatch({ pace, onSlow });
  return {
    async stream(client, open) {
      const slot = slots.open(client);
      try {
        await slot.take(1);
        return watched(await open(), slot, pace, onSlow);
      } catch (error) {
        slot.release();
        throw error;
      }
    },
    async body({ clientKey, connection }, source) {
      // Slots of answers that are over are free for this one.
      answers.settle();
      const slot = slots.open(clientKey);
      try {
        await slot.take(1);
        const range = connection === null ? null : await source.file();
        if (range === null || connection === null) return watched(await source.stream(), slot, pace, onSlow);
        answers.add(connection, range.length, () => {
          slot.release();
          range.close().catch(() => undefined);
        });
        return bodyOf(range);
      } catch (error) {
        slot.release();
        throw error;
      }
    },
  };
}

/**
 * Wraps a stream to watch its reader's pace: Bun pulls only when the socket takes more, so a stalled reader causes no
 * pull.
 */
function watched(
  source: ReadableStream<Uint8Array>,
  slot: Holding,
  { windowMs, minBytes }: ReadPace,
  onSlow: () => void,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let taken = 0;
  let isWaitingForStore = false;
  let watching: ReturnType<typeof setInterval> | undefined;
  const end = (): void => {
    clearInterval(watching);
    slot.release();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        watching = setInterval(() => {
          const isSlow = taken < minBytes && !isWaitingForStore;
          taken = 0;
          if (!isSlow) return;
          onSlow();
          end();
          // The connection ends without the rest; the reader sees that it is cut off.
          controller.error(new Error('the reader is too slow'));
          reader.cancel().catch(() => undefined);
        }, windowMs);
      },
      async pull(controller) {
        isWaitingForStore = true;
        try {
          const next = await reader.read();
          if (next.done) {
            end();
            controller.close();
          } else {
            taken += next.value.length;
            controller.enqueue(next.value);
          }
        } catch (error) {
          end();
          throw error;
        } finally {
          isWaitingForStore = false;
        }
      },
      async cancel(reason) {
        end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** A range of a file that is open. */
export interface FileRange {
  /** File descriptor. */
  fd: number;
  /** Bytes of the whole file. */
  size: number;
  start: number;
  length: number;
  close(): Promise<void>;
}

/** Whether open files can be sent: needs `/proc/self/fd`. Elsewhere they are streamed. */
export const CAN_SEND_FILES = process.platform === 'linux';

/**
 * A range of a file as a response body. The kernel sends it (sendfile), with its length, and however slow the reader is it takes
 * no memory. Bun opens the file once more, for itself alone. Given a whole file, Bun applies the request's Range by itself, even
 * where the response must be the full content; a slice that ends one byte past the file counts as a part.
 */
function bodyOf({ fd, size, start, length }: FileRange): Blob {
  const end = start === 0 && length === size ? size + 1 : start + length;
  return Bun.file(`/proc/self/fd/${fd}`).slice(start, end);
}
