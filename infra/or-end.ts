/** The outcome of a start. One that fails says why in plain words on standard error and ends this process with 1. */
export async function orEnd<T>(start: Promise<T>): Promise<T> {
  try {
    return await start;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
