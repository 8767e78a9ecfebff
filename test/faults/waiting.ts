import { send, statusOf } from '../../infra/faults/send.ts';
import { until } from '../../infra/until.ts';

export { until };

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
