/**
 * Waits for work at most `ms` milliseconds, then rejects with what `onLate` makes. The work itself goes on; its late
 * outcome is dropped.
 */
export async function within<T>(work: Promise<T>, ms: number, onLate: () => Error): Promise<T> {
  let timer: Timer | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(onLate()), ms);
  });
  // Once the limit has won nobody awaits the work; without a handler its failure would end the process.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
