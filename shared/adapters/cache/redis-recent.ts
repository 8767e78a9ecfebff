import type { CachePart } from '../../ports/cache.ts';
import { createNotedItems, type NotedItems } from './noted-items.ts';
import { primariesOf, type RedisClient } from './redis-client.ts';
import type { Command } from './redis-commands.ts';
import { codeKey, entriesKey, recentKey, recordKey, viewsKey } from './redis-records.ts';

/** An item is noted once in so many ms by each process. */
const SPAN_MS = 5_000;
const BATCH = 500;

/** Notes items when their records are put, so that `forget` finds the records of a time. Items are named by `itemKey`. */
interface RedisRecent extends NotedItems {
  /** See `Cache.forget`. */
  forget(since: number | null, onBatch: () => Promise<unknown>): Promise<void>;
}

export function createRedisRecent(redis: RedisClient, command: Command, part: CachePart): RedisRecent {
  const noted = createNotedItems(SPAN_MS, [{ key: recentKey(part), keeps: 'GT' }]);

  const forgetItem = async (item: string): Promise<void> => {
    if (part === 'entries') await redis.unlink(entriesKey(item));
    else await command('forgetRecord', [recordKey(item), viewsKey(item), codeKey(item), '']);
  };
  // The items stay noted: a process that puts another record of one in this span does not note it again.
  const forgetRecent = async (since: number, onBatch: () => Promise<unknown>): Promise<void> => {
    for await (const page of redis.zscanStream(recentKey(part), { count: BATCH })) {
      const scored = page as string[];
      const items = scored.filter((_, at) => at % 2 === 0 && Number(scored[at + 1]) >= since);
      await Promise.all(items.map(forgetItem));
      await onBatch();
    }
  };
  const forgetAll = async (onBatch: () => Promise<unknown>): Promise<void> => {
    const keyOf = part === 'items' ? recordKey : entriesKey;
    const prefix = keyOf('').slice(0, -1);
    for (const primary of primariesOf(redis)) {
      for await (const keys of primary.scanStream({ match: `${prefix}*`, count: BATCH })) {
        await Promise.all((keys as string[]).map((key) => forgetItem(key.slice(prefix.length, -1))));
        await onBatch();
      }
    }
  };

  return {
    ...noted,
    forget: (since, onBatch) => (since === null ? forgetAll(onBatch) : forgetRecent(since, onBatch)),
  };
}
