import { within } from './deadline.ts';

/** Dependencies by name, each with a check that rejects when the dependency is away. */
export type Dependencies = Record<string, () => Promise<unknown>>;

/** Longest a check may take before its dependency counts as away, in ms. */
const CHECK_LIMIT_MS = 2_500;

/**
 * `/readyz`: 200 when every dependency answers, else 503; either way which one does. Whoever asks while a check runs
 * shares it, so that asking often costs the dependencies no more.
 */
export function createReadiness(dependencies: Dependencies): () => Promise<Response> {
  let asking: Promise<Array<readonly [name: string, up: boolean]>> | null = null;

  const ask = () =>
    Promise.all(
      Object.entries(dependencies).map(async ([name, check]) => [name, await answers(check)] as const),
    ).finally(() => {
      asking = null;
    });

  return async () => {
    asking ??= ask();
    const entries = await asking;
    const ready = entries.every(([, up]) => up);
    const states = Object.fromEntries(entries.map(([name, up]) => [name, up ? 'up' : 'down']));
    return Response.json(
      { status: ready ? 'ready' : 'unavailable', dependencies: states },
      { status: ready ? 200 : 503, headers: ready ? {} : { 'Retry-After': '2' } },
    );
  };
}

async function answers(check: () => Promise<unknown>): Promise<boolean> {
  try {
    await within(check(), CHECK_LIMIT_MS, () => new Error('no answer'));
    return true;
  } catch {
    return false;
  }
}
