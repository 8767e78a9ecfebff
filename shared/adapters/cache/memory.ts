import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { type ItemRef, itemKey, itemOfKey } from '../../items/item.ts';
import { type ItemRecord, isOpen } from '../../items/item-record.ts';
import type { Logger } from '../../logger.ts';
import {
  type Cache,
  type CacheMark,
  type CachePart,
  type EntryVisit,
  HOST_KEPT_MS,
  type Visit,
} from '../../ports/cache.ts';
import { createMemoryEntries } from './memory-entries.ts';
import { createMemoryViewed } from './memory-viewed.ts';
import { createMemoryViews } from './memory-views.ts';
import { createMemoryWindows } from './memory-windows.ts';
import { VIEWED_SPAN, type ViewedSpan } from './viewed-span.ts';
import { openViewsSnapshot } from './views-snapshot.ts';

export interface MemoryCacheOptions {
  clock: Clock;
  log: Logger;
  /** Where the view counters are kept over a restart. */
  snapshotFile: string;
  /** Milliseconds between two snapshots: what a kill may cost. */
  snapshotEveryMs?: number;
  viewedSpan?: ViewedSpan;
}

/** Records of items kept; the least recently read ones go and are asked for again. */
const MAX_RECORDS = 100_000;
/** All records of keys of stores; the least recently read ones go and are asked for again. */
const MAX_ENTRY_BYTES = 64 * 1_048_576;

/** The cache of one process. Counters are saved every few seconds and at close; items, entries and windows are not. */
export async function createMemoryCache(options: MemoryCacheOptions): Promise<Cache> {
  const { clock, log, snapshotFile, snapshotEveryMs = 5_000, viewedSpan = VIEWED_SPAN } = options;
  const items = new LRUCache<string, ItemRecord>({ max: MAX_RECORDS });
  const hosts = new LRUCache<string, ItemRef>({ max: MAX_RECORDS, ttl: HOST_KEPT_MS });
  const entries = createMemoryEntries({ clock, maxBytes: MAX_ENTRY_BYTES });
  const windows = createMemoryWindows();
  const snapshot = await openViewsSnapshot({ file: snapshotFile, everyMs: snapshotEveryMs, clock, log });
  const viewed = createMemoryViewed(clock, viewedSpan);
  const marks = new Map<CachePart, CacheMark>();
  // The notes of the process before this one are lost, so every item is noted as viewed.
  for (const key of snapshot.counters.keys()) viewed.note(key);

  const liveRecord = (key: string, now = clock.now()): ItemRecord | null => {
    const itemRecord = items.get(key);
    if (itemRecord === undefined) return null;
    if (itemRecord.expiresAt > now) return itemRecord;
    items.delete(key);
    return null;
  };
  const views = createMemoryViews({ clock, snapshot, recordOf: liveRecord, onCounted: viewed.note });
  const visit = (key: string, readers: number): Visit => {
    // Both use the same moment: otherwise a view of an item that expires in between would count for the next one at its
    // address.
    const now = clock.now();
    const itemRecord = liveRecord(key, now);
    if (itemRecord === null) return { record: null, views: 0 };
    return { record: itemRecord, views: views.add(key, isOpen(itemRecord) ? readers : 0, now) };
  };
  const visitEntry = (item: string, key: string | null, readers: number): EntryVisit => {
    const visited = visit(item, readers);
    const entry = key === null ? null : entries.get(item, key);
    const { record: itemRecord } = visited;
    const isOfThisStore = itemRecord?.state === 'live' && entry?.store === itemRecord.code;
    return { ...visited, entry: isOfThisStore ? entry : null };
  };

  return {
    async visit(item, count) {
      return visit(itemKey(item), count ? 1 : 0);
    },
    async visitTogether(item, key, readers) {
      return visitEntry(itemKey(item), key, readers);
    },
    async visitEntry(item, key, count) {
      return visitEntry(itemKey(item), key, count ? 1 : 0);
    },
    async putEntry(item, record, expiresAt) {
      if (liveRecord(itemKey(item))?.state === 'removed') return false;
      return entries.put(itemKey(item), record, expiresAt);
    },
    async forgetEntry(item, key, sequence) {
      entries.forget(itemKey(item), key, sequence);
    },
    async countViews(item, added) {
      return views.add(itemKey(item), added, clock.now());
    },
    async viewsOf(items) {
      return items.map((item) => views.of(itemKey(item)));
    },
    async changedViews(limit) {
      const { items, notedUntil } = viewed.changed(limit);
      return items.map((item) => {
        const itemRecord = liveRecord(item);
        const code = itemRecord?.state === 'live' ? itemRecord.code : null;
        return { ...itemOfKey(item), code, views: views.of(item), notedUntil };
      });
    },
    async viewsSaved(saved) {
      for (const item of saved) viewed.saved(itemKey(item), item.notedUntil);
    },
    async deferViews(changed, ms) {
      for (const item of changed) viewed.defer(itemKey(item), clock.now() + ms);
    },
    async putRecord(itemRecord) {
      const key = itemKey(itemRecord);
      const existing = liveRecord(key);
      if (existing !== null && existing.version > itemRecord.version) return false;
      items.set(key, itemRecord);
      // Data of an earlier item under this address is dropped, also when its removal was not announced.
      const isAnother =
        itemRecord.state === 'removed' ||
        (existing !== null && !isSame(existing, itemRecord)) ||
        views.isOfAnother(key, itemRecord.code);
      if (isAnother) {
        entries.clear(key);
        views.forget(key);
      } else entries.endAt(key, itemRecord.expiresAt);
      if (itemRecord.state === 'live') views.seed(key, itemRecord);
      return true;
    },
    async forgetRecord(item, version) {
      const key = itemKey(item);
      if (items.get(key)?.version === version) items.delete(key);
    },
    async itemAtHost(name) {
      return hosts.get(name) ?? null;
    },
    async keepHost(name, { namespace, id }) {
      hosts.set(name, { namespace, id });
    },
    async forgetHost(name) {
      hosts.delete(name);
    },
    // An in-memory cache is never older than this process.
    async stateOf(part) {
      return { mark: marks.get(part) ?? null, isCurrent: true, isSettled: true, run: '' };
    },
    async setCurrent(part, mark) {
      marks.set(part, mark);
      return true;
    },
    // Forgets everything, which may be more than needed: it is soon loaded again.
    async forget(part) {
      if (part === 'items') items.clear();
      else entries.clearAll();
    },
    onReturn() {},
    hit: windows.hit,
    giveBack: windows.giveBack,
    peek: windows.peek,
    async check() {},
    async memory() {
      return null;
    },
    async close() {
      await snapshot.close();
    },
  };
}

const isSame = (existing: ItemRecord, itemRecord: ItemRecord): boolean =>
  existing.state === 'live' && itemRecord.state === 'live' && existing.code === itemRecord.code;
