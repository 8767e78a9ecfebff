import { afterAll, beforeAll } from 'bun:test';

/** Long enough to install a server's Debian package first, in ms. */
const LIMIT_MS = 300_000;

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
