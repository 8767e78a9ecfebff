import { steadyNow } from '../../../shared/deadline.ts';
import type { Connection } from '../http/connection.ts';

/** A part of a file that is open. */
export interface FilePart {
  /** File descriptor. */
  fd: number;
  /** Bytes of the whole file. */
  size: number;
  start: number;
  length: number;
  close(): Promise<void>;
}

/** How much a reader takes at least: `leastBytes` in each window of `windowMs`. */
export interface ReadPace {
  windowMs: number;
  leastBytes: number;
}

/**
 * Parts of files on their way to readers. The kernel sends them (sendfile), with their length, and however slow a reader is
 * they take no memory. Nobody here sees how much a reader has taken: who has not taken all in the time that the least pace
 * allows for it, and a window more, is cut off. Bun closes the connection of one that takes nothing within its `idleTimeout`.
 */
export interface SentFiles {
  /** The body of an answer with this part. When the answer is over, the file is closed and `onEnd` called. */
  body(part: FilePart, connection: Connection, onEnd: () => void): Blob;
  /** Ends those whose answers are over; otherwise that happens a few times a second. */
  settle(): void;
}

interface Sending {
  connection: Connection;
  /** When it has to be over, by `steadyNow`. */
  latestAt: number;
  end(): void;
}

/** How often it is looked whether answers are over, in ms. */
const LOOK_MS = 250;

/** Whether files can be sent so: where open files have names. Elsewhere they are streamed. */
export const CAN_SEND_FILES = process.platform === 'linux';

interface SentFilesOptions {
  pace: ReadPace;
  /** Called for each reader that was too slow. */
  onSlow(): void;
}

export function createSentFiles({ pace, onSlow }: SentFilesOptions): SentFiles {
  const underWay = new Set<Sending>();
  let looking: ReturnType<typeof setInterval> | undefined;

  const cutOffLate = (sending: Sending): void => {
    if (steadyNow() < sending.latestAt) return;
    sending.latestAt = Number.POSITIVE_INFINITY;
    onSlow();
    sending.connection.hurry();
  };

  const settle = (): void => {
    for (const sending of underWay) {
      if (!sending.connection.isOver()) {
        cutOffLate(sending);
        continue;
      }
      underWay.delete(sending);
      sending.end();
    }
    if (underWay.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  };

  return {
    settle,
    body(part, connection, onEnd) {
      const allowedMs = pace.windowMs * (1 + part.length / pace.leastBytes);
      underWay.add({
        ...{ connection, latestAt: steadyNow() + allowedMs },
        end() {
          onEnd();
          part.close().catch(() => undefined);
        },
      });
      looking ??= setInterval(settle, LOOK_MS);
      return bodyOf(part);
    },
  };
}

/**
 * Bun opens the file once more, for itself alone. Of a whole file it would send the request's Range by itself, also where the
 * answer is to be the whole content; so the end of that lies behind the file's, which Bun takes for a part.
 */
function bodyOf({ fd, size, start, length }: FilePart): Blob {
  const end = start === 0 && length === size ? size + 1 : start + length;
  return Bun.file(`/proc/self/fd/${fd}`).slice(start, end);
}
