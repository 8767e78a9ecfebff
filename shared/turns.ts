/** Resolves after so many turns of the event loop, in each of which whatever has arrived is taken in. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
