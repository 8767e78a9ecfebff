/** Runs a process's start; a start that fails says why in plain words on standard error and ends with 1. */
export async function runProcess(start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    process.stderr.write(`${message}${cause}\n`);
    process.exit(1);
  }
}
