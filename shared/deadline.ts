/**
 * Waits for work at most `ms` milliseconds, then rejects with what `onLate` makes. The work itself goes on; its late
 * outcome is dropped.
 */
export function within<T>(work: Promise<T>, ms: number, onLate: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(onLate()), ms);
    work.then(
      (outcome) => {
        clearTimeout(timer);
        resolve(outcome);
      },
      (reason: unknown) => {
        clearTimeout(timer);
        reject(reason);
      },
    );
  });
}
