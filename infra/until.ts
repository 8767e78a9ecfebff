/** A generous bound for what happens by itself; only a hang reaches it. */
const LIMIT_MS = 60_000;

/** Asks again until the answer is yes. */
export async function until(what: string, check: () => Promise<boolean>, limitMs = LIMIT_MS): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`not within ${limitMs} ms: ${what}`);
    await Bun.sleep(50);
  }
}
