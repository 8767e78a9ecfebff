const ends: Array<() => Promise<void>> = [];

/**
 * Starts something at the first call and shares it among all test files of a run, as its start takes longer than most
 * tests do. It is stopped after the last file (`after-all-files.ts`).
 */
export function oncePerRun<T extends { stop(): Promise<void> }>(start: () => Promise<T>): () => Promise<T> {
  let starting: Promise<T> | null = null;
  return () => {
    if (starting === null) {
      const started = start();
      starting = started;
      // One that never came up has nothing to stop.
      ends.push(async () => (await started.catch(() => null))?.stop());
    }
    return starting;
  };
}

/** Stops all of it. */
export async function endRun(): Promise<void> {
  await Promise.all(ends.splice(0).map((end) => end()));
}
