import type { Redis } from 'ioredis';
import { itemKey, itemOfKey } from '../items/item.ts';
import type { ChangedViews } from '../ports/cache.ts';
import type { Command, Sender } from './cache-redis-commands.ts';
import { routeKey, VIEWED_KEYS, viewsKey } from './cache-redis-records.ts';
import { spanEndOf, type ViewedSpan } from './viewed-span.ts';

/** Items a process remembers as noted; beyond them some are noted twice. */
const MAX_REMEMBERED = 100_000;

/** Which items were viewed, so that their counters can be saved. Items are named by `itemKey`. */
interface RedisViewed {
  /** Notes an item whose counter grows by the pipeline that leaves next. */
  note(item: string): void;
  /** Puts what was noted into a pipeline. */
  send: Sender;
  /** Notes anew what is viewed from now on: Redis may have lost what it was told. */
  forget(): void;
  changed(limit: number): Promise<ChangedViews[]>;
  saved(changed: ChangedViews[]): Promise<void>;
  defer(changed: ChangedViews[], ms: number): Promise<void>;
}

export function createRedisViewed(redis: Redis, command: Command, span: ViewedSpan): RedisViewed {
  const { spanMs, graceMs } = span;
  const remembered = new Set<string>();
  let spanEnd = 0;
  let unsent: string[] = [];

  return {
    note(item) {
      const now = Date.now();
      if (now >= spanEnd || remembered.size >= MAX_REMEMBERED) {
        remembered.clear();
        spanEnd = spanEndOf(now, spanMs);
      }
      if (remembered.has(item)) return;
      remembered.add(item);
      unsent.push(item);
    },
    send(pipeline) {
      const items = unsent;
      unsent = [];
      if (items.length === 0) return { count: 0, settle: () => undefined };
      const marked = items.flatMap((item) => [spanEnd, item]);
      pipeline.zadd(VIEWED_KEYS.last, 'GT', ...marked);
      pipeline.zadd(VIEWED_KEYS.first, 'NX', ...marked);
      return {
        count: 2,
        settle(replies) {
          const failed = replies.some((reply) => 'error' in reply);
          if (failed) for (const item of items) remembered.delete(item);
        },
      };
    },
    forget: () => remembered.clear(),
    async changed(limit) {
      const notedUntil = Date.now() - graceMs;
      const items = await redis.zrangebyscore(VIEWED_KEYS.first, 0, notedUntil, 'LIMIT', 0, limit);
      return await Promise.all(
        items.map(async (item) => {
          const keys = [routeKey(item), viewsKey(item)];
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
