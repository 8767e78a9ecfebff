import { afterAll, beforeAll } from 'bun:test';

/** Long enough to install a server's Debian package first, in ms. */
const LIMIT_MS = 600_000;

/**
 * Starts something before the tests of a file and ends it after them; called at the top of the file. The result stands
 * for the started object: its properties can be read from the first later `beforeAll` on.
 */
export function useStarted<T extends object>(
  start: () => Promise<T>,
  end: (started: T) => Promise<unknown> = async () => undefined,
): T {
  let running: T | undefined;
  beforeAll(async () => {
    running = await start();
  }, LIMIT_MS);
  afterAll(async () => {
    if (running !== undefined) await end(running);
  }, LIMIT_MS);
  const started = (): T => {
    if (running === undefined) throw new Error('it is there from the first test on');
    return running;
  };
  return new Proxy({} as T, {
    get: (_, key) => Reflect.get(started(), key),
    set: (_, key, value) => Reflect.set(started(), key, value),
  });
}

/** Starts an instance or a server, and stops it after the tests. */
export const useRunning = <T extends { stop(): Promise<unknown> }>(start: () => Promise<T>): T =>
  useStarted(start, (started) => started.stop());

const ends: Array<() => Promise<void>> = [];

/**
 * Starts something at the first call and shares it among all test files of a run, as its start takes longer than most tests
 * do; stops it after the last file (`after-all-files.ts`).
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
