import { itemKey, itemOfKey } from '../../items/item.ts';
import type { ChangedViews } from '../../ports/cache.ts';
import { createNotedItems, type NotedItems } from './noted-items.ts';
import type { RedisClient } from './redis-client.ts';
import type { Command } from './redis-commands.ts';
import { recordKey, VIEWED_KEYS, viewsKey } from './redis-records.ts';
import type { ViewedSpan } from './viewed-span.ts';

/** Which items were viewed, so that their counters can be saved. Items are named by `itemKey`. */
interface RedisViewed extends NotedItems {
  changed(limit: number): Promise<ChangedViews[]>;
  saved(changed: ChangedViews[]): Promise<void>;
  defer(changed: ChangedViews[], ms: number): Promise<void>;
}

export function createRedisViewed(redis: RedisClient, command: Command, span: ViewedSpan): RedisViewed {
  const { spanMs, graceMs } = span;
  const noted = createNotedItems(spanMs, [
    { key: VIEWED_KEYS.last, keeps: 'GT' },
    { key: VIEWED_KEYS.first, keeps: 'NX' },
  ]);

  return {
    ...noted,
    async changed(limit) {
      const notedUntil = Date.now() - graceMs;
      const items = await redis.zrangebyscore(VIEWED_KEYS.first, 0, notedUntil, 'LIMIT', 0, limit);
      return await Promise.all(
        items.map(async (item) => {
          const keys = [recordKey(item), viewsKey(item)];
          const [code, views] = await command<[string | null, number]>('counter', keys);
          return { ...itemOfKey(item), code, views, notedUntil };
        }),
      );
    },
    async saved(changed) {
      if (changed.length === 0) return;
      const saved = changed.flatMap(({ notedUntil, ...item }) => [itemKey(item), notedUntil]);
      await command('forgetViewed', [VIEWED_KEYS.first, VIEWED_KEYS.last, ...saved]);
    },
    async defer(changed, ms) {
      if (changed.length === 0) return;
      await command('deferViewed', [VIEWED_KEYS.first, Date.now() + ms, ...changed.map(itemKey)]);
    },
  };
}
