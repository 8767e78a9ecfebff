import { type RedisClient, sendTogether } from './redis-client.ts';
import { type Command, mayStillRun } from './redis-commands.ts';
import { recordKey, unseededKey, viewsKey } from './redis-records.ts';
import { UNKNOWN_ITEM_VIEWS_MS } from './viewed-span.ts';

/** Counters that may wait in memory for a lost Redis; beyond them views are lost rather than memory. */
const MAX_UNSENT_COUNTERS = 100_000;
/** Pause before counts are sent again, in ms: a full Redis does not announce when it has room. */
const RETRY_MS = 1_000;

/** Items are named by `itemKey`. Nothing here throws for a Redis that is away. */
export interface RedisViews {
  /** Adds to a counter, in memory while Redis is away, and returns what is known of it. */
  add(item: string, views: number): Promise<number>;
  /** The counters of items in their order, in one round trip; while Redis is away only the views that wait in memory. */
  of(items: string[]): Promise<number[]>;
  /** Keeps views in memory, as Redis cannot count them now, and returns how many of the item wait. */
  keep(item: string, views: number): number;
  /** Sends what waits. */
  sendUnsent(): Promise<void>;
  /** Sends the waiting counts one last time. */
  close(): Promise<void>;
}

/** @param counted is called for every item whose counter is about to grow */
export function createRedisViews(
  redis: RedisClient,
  command: Command,
  counted: (item: string) => void,
): RedisViews {
  const unsent = new Map<string, number>();
  let retry: Timer | undefined;
  let closed = false;

  const send = (item: string, views: number): Promise<number> => {
    if (views > 0) counted(item);
    const keys = [recordKey(item), viewsKey(item), unseededKey(item)];
    return command<number>('addViews', [...keys, views, UNKNOWN_ITEM_VIEWS_MS]);
  };
  const keepUnsent = (item: string, views: number): number => {
    const waiting = (unsent.get(item) ?? 0) + views;
    if (views === 0) return waiting;
    if (unsent.has(item) || unsent.size < MAX_UNSENT_COUNTERS) unsent.set(item, waiting);
    if (!closed) retry ??= setTimeout(sendAgain, RETRY_MS);
    return waiting;
  };
  const sendAgain = (): void => {
    retry = undefined;
    void sendUnsent();
  };
  const sendUnsent = async (): Promise<void> => {
    for (const [item, views] of unsent) {
      unsent.delete(item);
      try {
        await send(item, views);
      } catch (error) {
        if (mayStillRun(error)) continue;
        keepUnsent(item, views);
        return;
      }
    }
  };

  return {
    async add(item, views) {
      try {
        const total = await send(item, views);
        if (unsent.size > 0) void sendUnsent();
        return total;
      } catch (error) {
        return mayStillRun(error) ? views : keepUnsent(item, views);
      }
    },
    async of(items) {
      // One GET each, not MGET: in a cluster the counters lie in many slots.
      const outcomes = await sendTogether(
        redis,
        items.map((item) => () => redis.get(viewsKey(item))),
      );
      return items.map((item, index) => {
        const outcome = outcomes[index];
        const counted = outcome !== undefined && 'value' in outcome ? Number(outcome.value ?? 0) : 0;
        // The waiting counts can be negative, when views were taken back.
        return Math.max(0, counted + (unsent.get(item) ?? 0));
      });
    },
    keep: keepUnsent,
    sendUnsent,
    async close() {
      closed = true;
      clearTimeout(retry);
      await sendUnsent();
    },
  };
}
