/** Runs the work for a key, or waits for the run that is under way for it already. */
type SingleFlight<T> = (key: string, work: () => Promise<T>) => Promise<T>;

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

/**
 * Single-flight that gives nobody an answer from before they asked: who asks while the work runs waits for the next run,
 * together with all others who do. Of each key at most one run is under way, and one waits.
 */
export function createFreshSingleFlight<T>(): SingleFlight<T> {
  const running = new Map<string, Promise<unknown>>();
  const next = new Map<string, Promise<T>>();

  const start = (key: string, work: () => Promise<T>): Promise<T> => {
    const run = work();
    const ended = run.then(
      () => undefined,
      () => undefined,
    );
    running.set(key, ended);
    void ended.then(() => {
      if (running.get(key) === ended) running.delete(key);
    });
    return run;
  };

  return (key, work) => {
    const current = running.get(key);
    if (current === undefined) return start(key, work);
    let waiting = next.get(key);
    if (waiting === undefined) {
      waiting = current.then(() => {
        next.delete(key);
        return start(key, work);
      });
      next.set(key, waiting);
    }
    return waiting;
  };
}
