/** Most bytes of bodies and unpacked files that wait for the collector. */
const GARBAGE_BYTES = 16_777_216;

let garbage = 0;

/**
 * Bodies lie outside of the collector's heap, whose growth makes it work: at ten of 20 MB a second it let 400 MB of them
 * lie. So after so many it is asked to collect, beside the requests: a collection at once would hold all of them up for 20 ms.
 */
export function collectGarbageAfter(bytes: number): void {
  garbage += bytes;
  if (garbage < GARBAGE_BYTES) return;
  garbage = 0;
  Bun.gc(false);
}
