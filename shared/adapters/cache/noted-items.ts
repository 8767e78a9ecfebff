import type { Sender } from './redis-commands.ts';
import { spanEndOf } from './viewed-span.ts';

/** Items a process remembers as noted; beyond them some are noted twice. */
const MAX_REMEMBERED = 100_000;

/** Items that go into sorted sets of Redis, each once in a span, with the end of the span as its score. */
export interface NotedItems {
  /** Notes an item, named by `itemKey`, for the pipeline that leaves next. */
  note(item: string): void;
  /** Puts what was noted into a pipeline. An item whose command fails is noted anew. */
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
      const scored = items.flatMap((item) => [spanEnd, item]);
      for (const { key, keeps } of sets) {
        if (keeps === 'GT') pipeline.zadd(key, 'GT', ...scored);
        else pipeline.zadd(key, 'NX', ...scored);
      }
      return {
        count: sets.length,
        settle(replies) {
          if (replies.some((reply) => 'error' in reply)) for (const item of items) remembered.delete(item);
        },
      };
    },
    reset: () => remembered.clear(),
  };
}
