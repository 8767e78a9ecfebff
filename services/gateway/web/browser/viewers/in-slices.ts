/** Longest that work keeps the page from answering, in ms. */
const SLICE_MS = 12;

/** Pauses that long work makes now and then, so that the page answers meanwhile. Resolves to whether the work is still wanted. */
export function createSlices(isWanted: () => boolean): () => Promise<boolean> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < SLICE_MS) return true;
    await new Promise((resolve) => setTimeout(resolve));
    began = performance.now();
    return isWanted();
  };
}
