/**
 * Milliseconds since the epoch by a clock that runs evenly: set when the process starts, moved by no later step of the
 * machine's clock. Deadlines are moments of it, and mean nothing in another process (`contracts/serve.ts`).
 */
export const steadyNow = (): number => performance.timeOrigin + performance.now();

/**
 * Waits for work at most `ms` milliseconds, none when that is negative, then rejects with what `onLate` makes. The work
 * itself goes on; its late outcome is dropped.
 */
export function within<T>(work: Promise<T>, ms: number, onLate: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(onLate()), Math.max(ms, 0));
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
