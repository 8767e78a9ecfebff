/**
 * Most bytes of a body that Bun sends along with its headers by itself: below, it gathers both in one buffer. The
 * headers of a larger body, when the answer was not ready at once, it hands to the kernel in pieces: name, colon, value
 * and line end each by themselves, some 80 system calls an answer (Bun 1.4.5; oven-sh/bun#41341).
 */
const GATHERED_BY_BUN = 15_359;

/** Most bytes of bodies that have been copied and not been taken by their readers yet. */
const COPIES_LIMIT_BYTES = 32 * 1_048_576;

export interface WholeBodies {
  /**
   * Makes a response body of these bytes, which must not change any more. For a HEAD the body is the bytes themselves:
   * Bun derives Content-Length from them and sends none of them.
   */
  of(request: { isHead: boolean }, bytes: Uint8Array): Bun.BodyInit | null;
}

/**
 * Makes response bodies from memory. A large one is a direct stream that ends within its first pull: Bun then sends it
 * with its headers in one system call, and with its length. Bun copies the body first, and holds the copy until the reader
 * has taken it. When slow readers hold many copies already, further answers share a Blob of the content, which costs more
 * system calls but no memory for each.
 */
export function createWholeBodies(copiesLimitBytes = COPIES_LIMIT_BYTES): WholeBodies {
  /** Blobs by what they are made of, so that ranges of one content share it too. */
  const shared = new WeakMap<ArrayBufferLike, Blob>();
  let copied = 0;

  const sharedBlob = ({ buffer, byteOffset, length }: Uint8Array): Blob => {
    const blob = shared.get(buffer) ?? new Blob([new Uint8Array(buffer)]);
    shared.set(buffer, blob);
    return blob.slice(byteOffset, byteOffset + length);
  };

  const sentAtOnce = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
    new ReadableStream(
      {
        type: 'direct',
        pull(controller) {
          copied += bytes.length;
          const giveBack = (): void => {
            copied -= bytes.length;
          };
          try {
            controller.write(bytes);
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
      { highWaterMark: bytes.length + 1 },
    );

  return {
    of({ isHead }, bytes) {
      if (bytes.length === 0) return null;
      if (isHead || bytes.length <= GATHERED_BY_BUN) return bytes;
      return copied + bytes.length > copiesLimitBytes ? sharedBlob(bytes) : sentAtOnce(bytes);
    },
  };
}
