import type { Sender } from './redis-commands.ts';
import { spanEndOf } from './viewed-span.ts';

/** Items a process remembers as noted; beyond them some are noted twice. */
const MAX_REMEMBERED = 100_000;

/** Items that go into sorted sets of Redis, each once in a span, with the end of the span as its score. */
export interface NotedItems {
  /** Notes an item, named by `itemKey`, for the next commands that leave. */
  note(item: string): void;
  /** Sends what was noted along. An item whose command fails is noted anew. */
  send: Sender;
  /** Notes every item anew from now on: Redis may have lost what it was told. */
  reset(): void;
}

/** @param sets the sorted sets: `GT` keeps the latest span of an item, `NX` its first */
export function createNotedItems(
  spanMs: number,
  sets: ReadonlyArray<{ key: string; keeps: 'GT' | 'NX' }>,
): NotedItems {
  const remembered = new Set<string>();
  let spanEnd = 0;
  let unsent: string[] = [];

  return {
    note(item) {
      const now = Date.now();
      // The clock may have been set back.
      const isOther = now >= spanEnd || spanEnd - now > spanMs;
      if (isOther || remembered.size >= MAX_REMEMBERED) {
        remembered.clear();
        spanEnd = spanEndOf(now, spanMs);
      }
      if (remembered.has(item)) return;
      remembered.add(item);
      unsent.push(item);
    },
    send(redis) {
      const items = unsent;
      if (items.length === 0) return null;
      unsent = [];
      const scored = items.flatMap((item) => [spanEnd, item]);
      return {
        commands: sets.map(
          ({ key, keeps }) =>
            () =>
              keeps === 'GT' ? redis.zadd(key, 'GT', ...scored) : redis.zadd(key, 'NX', ...scored),
        ),
        settle(outcomes) {
          if (outcomes.some((outcome) => 'error' in outcome))
            for (const item of items) remembered.delete(item);
        },
      };
    },
    reset: () => remembered.clear(),
  };
}
