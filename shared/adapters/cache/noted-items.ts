import { steadyNow } from '../../deadline.ts';
import type { Sender } from './redis-commands.ts';
import { spanEndOf } from './viewed-span.ts';

/** Items a process remembers as noted; beyond them some are noted twice. */
const MAX_REMEMBERED = 100_000;

/** Pause after a failure before items leave again, in ms: a full Redis may refuse them for long. */
const RETRY_MS = 1_000;

/** Most items of failed commands that one write sends again. */
const RETRIED_AT_ONCE = 1_000;

/** Items that go into sorted sets of Redis, each once in a span, with the end of the span as its score. */
export interface NotedItems {
  /** Notes an item, named by `itemKey`, for the next commands that leave. */
  note(item: string): void;
  /** Sends what was noted along. Items whose command fails leave again with a later write. */
  send: Sender;
  /** Forgets which items this process has noted, so that it notes them again: Redis may have lost the notes. */
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
  const failed = new Set<string>();
  let retryAt = 0;

  const takeFailed = (): string[] => {
    if (failed.size === 0 || steadyNow() < retryAt) return [];
    const taken = [...failed].slice(0, RETRIED_AT_ONCE);
    for (const item of taken) failed.delete(item);
    return taken;
  };
  const keepFailed = (items: readonly string[]): void => {
    retryAt = steadyNow() + RETRY_MS;
    for (const item of items) {
      remembered.delete(item);
      if (failed.size < MAX_REMEMBERED) failed.add(item);
    }
  };

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
      const items = [...unsent, ...takeFailed()];
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
          if (outcomes.some((outcome) => 'error' in outcome)) keepFailed(items);
        },
      };
    },
    reset: () => remembered.clear(),
  };
}
