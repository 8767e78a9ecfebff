/** Runs the work for a key, or waits for the run that is under way for it already. */
export type SingleFlight<T> = (key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Single-flight: callers that want the same at the same time share one run of the work, and its result or error. A call
 * after the run has settled starts another one.
 */
export function createSingleFlight<T>(): SingleFlight<T> {
  const running = new Map<string, Promise<T>>();
  return (key, work) => {
    const known = running.get(key);
    if (known !== undefined) return known;
    const run = work().finally(() => running.delete(key));
    running.set(key, run);
    return run;
  };
}
