/** Most bytes of bodies and unpacked files that wait for the collector. */
const GARBAGE_BYTES = 16_777_216;

let garbage = 0;

/**
 * Asks for a garbage collection after every `GARBAGE_BYTES` of bodies. The collector starts when its own heap grows, and
 * bodies lie outside of it: at ten bodies of 20 MB a second, 400 MB of dead ones piled up. The collection runs
 * concurrently (`Bun.gc(false)`): a synchronous one would stop all requests for 20 ms.
 */
export function collectGarbageAfter(bytes: number): void {
  garbage += bytes;
  if (garbage < GARBAGE_BYTES) return;
  garbage = 0;
  Bun.gc(false);
}
