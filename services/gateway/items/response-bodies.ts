import type { PerchError } from '../../../shared/perch-error.ts';
import { type Reader, UNHELD_BYTES } from './response-memory.ts';
import type { SharedContents } from './shared-contents.ts';

/**
 * Most bytes of a body that Bun sends along with its headers by itself: below, it gathers both in one buffer. The
 * headers of a larger body, when the answer was not ready at once, it hands to the kernel in pieces: name, colon, value
 * and line end each by themselves, some 80 system calls an answer (Bun 1.4.5; oven-sh/bun#41341).
 */
const GATHERED_BY_BUN = 15_359;

/** Most bytes of bodies that have been copied and not been taken by their readers yet. */
const COPIES_LIMIT_BYTES = 32 * 1_048_576;

/** A body that has been made. */
export interface MadeBody {
  /** `null`: it is empty. */
  readonly body: Bun.BodyInit | null;
}

export interface ResponseBodies {
  /**
   * Makes a response body of these bytes, which must not change any more. For a HEAD the body is the bytes themselves:
   * Bun derives Content-Length from them and sends none of them. One of more than `UNHELD_BYTES` holds some of the client's room until it is sent.
   * @param isHeld whether the reader holds room for these bytes already, which then are for this answer alone
   * @throws UNAVAILABLE when the client has no room for it now
   */
  of(reader: Reader, bytes: Uint8Array, isHeld?: boolean): Bun.BodyInit | null;
  /** The body, or `null` when the client has no room for it now. */
  tryOf(reader: Reader, bytes: Uint8Array, isHeld?: boolean): MadeBody | null;
}

interface ResponseBodyOptions {
  contents: SharedContents;
  /** Makes the error for a client without room. */
  refuse(): PerchError;
  copiesLimitBytes?: number;
}

/**
 * Makes response bodies from memory. A large one is a direct stream that ends within its first pull: Bun then sends it
 * with its headers in one system call, and with its length. Bun copies the body first, and holds the copy until the reader
 * has taken it. When slow readers hold many copies already, further answers share a Blob of the content, which costs more
 * system calls but no memory for each.
 */
export function createResponseBodies({
  contents,
  refuse,
  copiesLimitBytes = COPIES_LIMIT_BYTES,
}: ResponseBodyOptions): ResponseBodies {
  let copied = 0;

  const sentAtOnce = (bytes: Uint8Array): ReadableStream<Uint8Array> => {
    const { length } = bytes;
    // A slow reader of a part must not keep the whole content in memory.
    let unsent: Uint8Array | null = bytes;
    return new ReadableStream(
      {
        type: 'direct',
        pull(controller) {
          copied += length;
          const giveBack = (): void => {
            copied -= length;
          };
          try {
            if (unsent !== null) controller.write(unsent);
            unsent = null;
            const ended = controller.end();
            if (typeof ended === 'number') return giveBack();
            // Also when the reader goes away.
            return ended.then(giveBack, giveBack);
          } catch (error) {
            giveBack();
            throw error;
          }
        },
      },
      // Above the bytes written: a write that reaches the mark would be sent at once, without a length.
      { highWaterMark: length + 1 },
    );
  };

  const tryOf: ResponseBodies['tryOf'] = (
    { isHead = false, clientKey, connection },
    bytes,
    isHeld = false,
  ) => {
    const { length, buffer } = bytes;
    if (length === 0) return { body: null };
    if (isHead || connection === null || length <= GATHERED_BY_BUN) return { body: bytes };
    const isCopied = copied + length <= copiesLimitBytes;
    if (isHeld) return { body: isCopied ? sentAtOnce(bytes) : bytes };
    if (length <= UNHELD_BYTES) {
      // A Blob would keep the whole content in memory for this short part: send a copy, even above the limit.
      if (isCopied || buffer.byteLength > UNHELD_BYTES) return { body: sentAtOnce(bytes) };
    }
    const content = contents.tryAdd(clientKey, connection, bytes);
    if (content === null) return null;
    return { body: isCopied ? sentAtOnce(bytes) : content.blobOf(bytes) };
  };

  return {
    tryOf,
    of(reader, bytes, isHeld) {
      const made = tryOf(reader, bytes, isHeld);
      if (made === null) throw refuse();
      return made.body;
    },
  };
}
