import type { Connection } from '../http/connection.ts';
import type { AnswerWatch } from './answer-watch.ts';

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

/**
 * Parts of files on their way to readers. The kernel sends them (sendfile), with their length, and however slow a reader is
 * they take no memory.
 */
export interface SentFiles {
  /** The body of an answer with this part. When the answer is over, the file is closed and `onEnd` called. */
  body(part: FilePart, connection: Connection, onEnd: () => void): Blob;
  /** Ends those whose answers are over; otherwise that happens a few times a second. */
  settle(): void;
}

/** Whether files can be sent so: where open files have names. Elsewhere they are streamed. */
export const CAN_SEND_FILES = process.platform === 'linux';

export function createSentFiles(watch: AnswerWatch): SentFiles {
  return {
    settle: watch.settle,
    body(part, connection, onEnd) {
      watch.add(connection, part.length, () => {
        onEnd();
        part.close().catch(() => undefined);
      });
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
