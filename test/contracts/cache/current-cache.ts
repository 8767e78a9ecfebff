import { createRedisCache, type RedisCacheOptions } from '../../../shared/adapters/cache/redis.ts';
import type { Cache } from '../../../shared/ports/cache.ts';

/** A cache in Redis that is current at once, also each time it comes back, as if a repair pass had nothing to tell. */
export async function openCurrentCache(options: RedisCacheOptions): Promise<Cache> {
  const cache = await createRedisCache(options);
  cache.onReturn(() => void makeCurrent(cache).catch(() => undefined));
  await makeCurrent(cache);
  return cache;
}

export async function makeCurrent(cache: Cache): Promise<void> {
  for (const part of ['items', 'entries'] as const) {
    const { run } = await cache.stateOf(part);
    await cache.setCurrent(part, { toldUntil: Date.now(), databaseStart: 'test' }, run);
  }
}
