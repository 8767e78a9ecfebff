/**
 * Runs a task for each item, at most `lanes` at once, and returns the results in the items' order. Once a task has failed
 * no other begins.
 */
export async function inLanes<T, R>(
  items: readonly T[],
  lanes: number,
  task: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  // All lanes share one generator: a lane that throws closes it for the others, too.
  const queue = (function* () {
    yield* items.entries();
  })();
  const lane = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await task(item, index);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
