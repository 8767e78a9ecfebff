import { itemKey, itemOfKey } from '../../items/item.ts';
import type { ChangedViews } from '../../ports/cache.ts';
import { createNotedItems, type NotedItems } from './noted-items.ts';
import type { RedisClient } from './redis-client.ts';
import type { Command } from './redis-commands.ts';
import { recordKey, VIEWED_KEYS, viewsKey } from './redis-records.ts';
import { AHEAD_MS, spanEndOf, type ViewedSpan } from './viewed-span.ts';

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

  const moveTo = async (key: string, spanEnd: number, items: string[]): Promise<void> => {
    await command('deferViewed', [key, spanEnd, ...items]);
  };
  /** Moves notes that lie too far ahead, as they were made before the clock was set back, to the current span. */
  const pullBack = async (now: number, limit: number): Promise<void> => {
    const from = now + AHEAD_MS;
    const ahead = await redis.zrangebyscore(VIEWED_KEYS.first, from, '+inf', 'LIMIT', 0, limit);
    if (ahead.length === 0) return;
    for (const key of [VIEWED_KEYS.last, VIEWED_KEYS.first]) await moveTo(key, spanEndOf(now, spanMs), ahead);
  };

  return {
    ...noted,
    async changed(limit) {
      const now = Date.now();
      await pullBack(now, limit);
      const notedUntil = now - graceMs;
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
      await moveTo(VIEWED_KEYS.first, Date.now() + ms, changed.map(itemKey));
    },
  };
}
