import type { Clock } from '../../clock.ts';
import { AHEAD_MS, spanEndOf, type ViewedSpan } from './viewed-span.ts';

/** Which items were viewed and not yet saved, in this process. Items are named by `itemKey`. */
export interface MemoryViewed {
  note(item: string): void;
  /** Items whose views are due, those noted first in front, and up to when they were noted (ms since the epoch). */
  changed(limit: number): { items: string[]; notedUntil: number };
  saved(item: string, notedUntil: number): void;
  /** Tells of an item as if it had first been viewed then (ms since the epoch). */
  defer(item: string, until: number): void;
}

export function createMemoryViewed(clock: Clock, { spanMs, graceMs }: ViewedSpan): MemoryViewed {
  /** The ends of the first and the last span in which each was viewed: one that always is, is due by the first. */
  const noted = new Map<string, { first: number; last: number }>();
  return {
    note(item) {
      const last = spanEndOf(clock.now(), spanMs);
      const known = noted.get(item);
      if (known === undefined) noted.set(item, { first: last, last });
      else known.last = last;
    },
    changed(limit) {
      const now = clock.now();
      const notedUntil = now - graceMs;
      const items: string[] = [];
      for (const [item, spans] of noted) {
        if (items.length >= limit) break;
        if (spans.first > now + AHEAD_MS) spans.first = spans.last = spanEndOf(now, spanMs);
        if (spans.first <= notedUntil) items.push(item);
      }
      return { items, notedUntil };
    },
    saved(item, notedUntil) {
      const last = noted.get(item)?.last ?? 0;
      noted.delete(item);
      if (last > notedUntil) noted.set(item, { first: last, last });
    },
    defer(item, until) {
      const known = noted.get(item);
      if (known === undefined) return;
      noted.delete(item);
      noted.set(item, { first: until, last: known.last });
    },
  };
}
