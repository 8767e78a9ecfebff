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
   * A body of these bytes, which must not change any more. What answers a HEAD shows the length, as nothing is written
   * of it.
   */
  of(request: { isHead: boolean }, bytes: Uint8Array): Bun.BodyInit | null;
}

/**
 * Bodies from memory. A large one is a direct stream that ends within its first pull: so it leaves with its headers in
 * one system call, and with its length. Bun copies it first, and holds the copy until the reader has taken it; when
 * there are many copies already, because of slow readers, further ones share a Blob of the same content, which costs
 * the system calls but no memory for each.
 */
export function createWholeBodies(copiesLimitBytes = COPIES_LIMIT_BYTES): WholeBodies {
  /** By what they are made of, so that ranges of one content share it too. */
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
      // More than is written: what reaches the mark would leave at once, without a length.
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
