import { within } from './deadline.ts';

/** Dependencies by name, each with a check that rejects when the dependency is away. */
export type Dependencies = Record<string, () => Promise<unknown>>;

/** Longest a check may take before its dependency counts as away, in ms. */
const CHECK_LIMIT_MS = 2_500;

/**
 * `/readyz`: 200 when every dependency answers, else 503; either way which one does. Whoever asks while a check runs
 * shares it, so that asking often costs the dependencies no more. A process that is about to stop says 503 and asks nobody.
 */
export function createReadiness(
  dependencies: Dependencies,
  isLeaving: () => boolean = () => false,
): () => Promise<Response> {
  let asking: Promise<Array<readonly [name: string, up: boolean]>> | null = null;

  const ask = () =>
    Promise.all(
      Object.entries(dependencies).map(async ([name, check]) => [name, await answers(check)] as const),
    ).finally(() => {
      asking = null;
    });

  return async () => {
    if (isLeaving()) return unready('leaving', {});
    asking ??= ask();
    const entries = await asking;
    const ready = entries.every(([, up]) => up);
    const states = Object.fromEntries(entries.map(([name, up]) => [name, up ? 'up' : 'down']));
    if (!ready) return unready('unavailable', states);
    return Response.json({ status: 'ready', dependencies: states });
  };
}

const unready = (status: string, dependencies: Record<string, string>): Response =>
  Response.json({ status, dependencies }, { status: 503, headers: { 'Retry-After': '2' } });

async function answers(check: () => Promise<unknown>): Promise<boolean> {
  try {
    await within(check(), CHECK_LIMIT_MS, () => new Error('no answer'));
    return true;
  } catch {
    return false;
  }
}
