import { send, statusOf } from './client.ts';

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

/** Until a gateway and all it depends on answer. */
export const untilReady = (baseUrl: string): Promise<void> =>
  until(`${baseUrl} is ready`, async () => statusOf(await send(`${baseUrl}/readyz`)) === 200);

/** What `/readyz` says is down, once that is exactly `names`. */
export const untilDown = (baseUrl: string, ...names: string[]): Promise<void> =>
  until(`${names.join(', ')} down at ${baseUrl}`, async () => {
    const seen = await send(`${baseUrl}/readyz`);
    if (!seen.answered || seen.status !== 503) return false;
    const { dependencies } = JSON.parse(seen.text) as { dependencies: Record<string, string> };
    const down = Object.keys(dependencies).filter((name) => dependencies[name] === 'down');
    return names.every((name) => down.includes(name));
  });
