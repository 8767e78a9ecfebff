import type { Clock } from '../../clock.ts';
import type { ItemRecord, LiveItemRecord } from '../../items/item-record.ts';
import { UNKNOWN_ITEM_VIEWS_MS } from './viewed-span.ts';
import type { ViewCounter, ViewsSnapshot } from './views-snapshot.ts';

/** The view counters of one process. Items are named by `itemKey`. */
interface MemoryViews {
  /** Adds to a counter, and returns what it is then. A negative number takes views back. */
  add(item: string, views: number, now: number): number;
  of(item: string): number;
  /** Takes over the views that a record says were saved before. */
  seed(item: string, record: LiveItemRecord): void;
  /** Whether the counter is known to be of another item, which had the address before the one with this short code. */
  isOfAnother(item: string, code: string): boolean;
  forget(item: string): void;
}

interface Options {
  clock: Clock;
  snapshot: ViewsSnapshot;
  /** The record of an item; `null`: unknown, or expired at that moment. */
  recordOf(item: string, now: number): ItemRecord | null;
  /** Called for every item whose counter has grown. */
  onCounted(item: string): void;
}

export function createMemoryViews({ clock, snapshot, recordOf, onCounted }: Options): MemoryViews {
  const { counters } = snapshot;

  const liveCounter = (item: string, now = clock.now()): ViewCounter | null => {
    const counter = counters.get(item);
    if (counter === undefined) return null;
    if (counter.expiresAt > now) return counter;
    counters.delete(item);
    return null;
  };
  /** While the item record is unknown, an earlier counter may have been lost: `seed` adds its saved views later. */
  const startCounter = (itemRecord: ItemRecord | null, now: number): ViewCounter => {
    if (itemRecord !== null) return { views: 0, expiresAt: itemRecord.expiresAt, ...ownerOf(itemRecord) };
    return { views: 0, expiresAt: now + UNKNOWN_ITEM_VIEWS_MS, unseeded: true };
  };

  return {
    add(item, views, now) {
      const known = liveCounter(item, now);
      const before = known?.views ?? 0;
      if (views === 0) return before;
      const itemRecord = recordOf(item, now);
      // The next item under the address would begin with it.
      if (itemRecord?.state === 'removed') return 0;
      // The counter may have ended with its item since the view that is taken back.
      const amount = Math.max(views, -before);
      if (amount === 0) return before;
      const counter = known ?? startCounter(itemRecord, now);
      counter.views += amount;
      counters.set(item, counter);
      snapshot.changed();
      if (amount > 0) onCounted(item);
      return counter.views;
    },
    of: (item) => liveCounter(item)?.views ?? 0,
    seed(item, { savedViews = 0, expiresAt, code }) {
      const known = liveCounter(item);
      if (known === null && savedViews === 0) return;
      const counted = known?.views ?? 0;
      const views = known?.unseeded ? counted + savedViews : Math.max(counted, savedViews);
      counters.set(item, { views, expiresAt, code });
      snapshot.changed();
    },
    isOfAnother: (item, code) => (counters.get(item)?.code ?? code) !== code,
    forget(item) {
      if (counters.delete(item)) snapshot.changed();
    },
  };
}

const ownerOf = (itemRecord: ItemRecord) => (itemRecord.state === 'live' ? { code: itemRecord.code } : {});
