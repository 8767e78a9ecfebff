import { send, statusOf } from '../../infra/load/send.ts';
import { until } from '../../infra/until.ts';
import { STATE_KEY } from '../../shared/adapters/cache/redis-records.ts';
import type { Instance } from '../instance.ts';

export { until };

/** Until a gateway and all it depends on answer. */
export const untilReady = (baseUrl: string): Promise<void> =>
  until(`${baseUrl} is ready`, async () => statusOf(await send(`${baseUrl}/readyz`)) === 200);

/** Waits until `/readyz` reports exactly `names` as down. */
export const untilDown = (baseUrl: string, ...names: string[]): Promise<void> =>
  until(`${names.join(', ')} down at ${baseUrl}`, async () => {
    const seen = await send(`${baseUrl}/readyz`);
    if (!seen.answered || seen.status !== 503) return false;
    const { dependencies } = JSON.parse(seen.text) as { dependencies: Record<string, string> };
    const down = Object.keys(dependencies).filter((name) => dependencies[name] === 'down');
    return names.every((name) => down.includes(name));
  });

/**
 * Until gateways answer from Redis: after its start, or theirs, they ask the services until a repair pass has told Redis
 * everything. They look for that every 50 ms.
 */
export async function untilCacheIsServed({ env }: Instance): Promise<void> {
  const redis = new Bun.RedisClient(env.REDIS_URL ?? '');
  try {
    await until('Redis is known to be current', async () => {
      const [info, routes, entries] = await Promise.all([
        redis.send('INFO', ['server']),
        redis.send('HGET', [STATE_KEY, 'items.run']),
        redis.send('HGET', [STATE_KEY, 'entries.run']),
      ]);
      const [, run] = /^run_id:(\w+)/m.exec(String(info)) ?? [];
      return run !== undefined && routes === run && entries === run;
    });
    await Bun.sleep(500);
  } finally {
    redis.close();
  }
}
