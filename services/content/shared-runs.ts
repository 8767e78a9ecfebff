/**
 * Runs work for many at once without giving anyone an answer from before they asked: who asks while the work runs waits
 * for the next run, together with all others who do. So of each key at most one run is under way.
 */
export function shareRuns<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<unknown>>();
  const next = new Map<string, Promise<T>>();

  const start = (key: string): Promise<T> => {
    const run = work(key);
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

  return (key) => {
    const current = running.get(key);
    if (current === undefined) return start(key);
    let waiting = next.get(key);
    if (waiting === undefined) {
      waiting = current.then(() => {
        next.delete(key);
        return start(key);
      });
      next.set(key, waiting);
    }
    return waiting;
  };
}
