/** The result of one run of a background pass. Passes work in batches, so that a stop never waits for a backlog. */
export interface Batch {
  done: number;
  /** Whether the pass should go on at once. */
  more: boolean;
  /** Whether something is left that should be tried again soon, though not at once. */
  retry?: boolean;
}

/**
 * Works through all that a query finds, a batch at a time, each batch behind the last one of the batch before. `find`
 * returns fewer than `limit` at the end. Returns the sum of what `work` says it has done.
 */
export async function inBatches<Found extends Place, Place>(
  start: Place,
  limit: number,
  find: (after: Place) => Promise<Found[]>,
  work: (found: Found[]) => Promise<number>,
): Promise<number> {
  let after = start;
  for (let done = 0; ; ) {
    const found = await find(after);
    done += await work(found);
    const last = found.at(-1);
    if (last === undefined || found.length < limit) return done;
    after = last;
  }
}
