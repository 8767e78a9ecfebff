import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { CachedEntry } from '../../items/entry.ts';
import { entryName } from './entry-name.ts';

export interface MemoryEntriesOptions {
  clock: Clock;
  /** Bound of all records together, far more than one takes; the least recently read ones are evicted. */
  maxBytes: number;
}

/** The known keys of stores; stores are named by `itemKey`. */
export interface MemoryEntries {
  get(store: string, key: string): CachedEntry | null;
  /** Returns false when a higher sequence is known, or `expiresAt` (ms since the epoch) is past. */
  put(store: string, record: CachedEntry, expiresAt: number): boolean;
  /** Forgets the record of that very sequence. */
  forget(store: string, key: string, sequence: number): void;
  /** Sets the end (ms since the epoch) of all records of a store. */
  endAt(store: string, expiresAt: number): void;
  clear(store: string): void;
  clearAll(): void;
}

interface Held {
  store: string;
  record: CachedEntry;
}

/** The known keys of one store expire together, with its item record. */
interface Known {
  keys: Set<string>;
  expiresAt: number;
}

/** Memory of a record besides its text: objects, map slots, the strings of its store. */
const RECORD_BYTES = 512;
/** Memory of the sequence of an evicted record besides its key. */
const FLOOR_BYTES = 256;

/**
 * Records in memory, bounded in bytes.
 *
 * A record that is evicted leaves its sequence behind. Without it a fill that read the database before a change could
 * put the old value after the change's own record was evicted, and bring it back for good. These sequences are bounded,
 * too, at an eighth of the records' bytes: far more of them than can pass in the seconds that a fill may be under way.
 */
export function createMemoryEntries({ clock, maxBytes }: MemoryEntriesOptions): MemoryEntries {
  const stores = new Map<string, Known>();
  const floors = new LRUCache<string, number>({
    maxSize: Math.max(1, Math.floor(maxBytes / 8)),
    sizeCalculation: (_sequence, name) => FLOOR_BYTES + 2 * name.length,
  });
  const records = new LRUCache<string, Held>({
    maxSize: maxBytes,
    sizeCalculation: ({ record }, name) =>
      RECORD_BYTES + 2 * (2 * name.length + (record.entry?.value.length ?? 0)),
    dispose({ store, record }, name, reason) {
      if (reason === 'set') return;
      if (reason === 'evict') floors.set(name, record.sequence);
      const known = stores.get(store);
      known?.keys.delete(record.key);
      if (known?.keys.size === 0) stores.delete(store);
    },
  });

  const clear = (store: string): void => {
    for (const key of stores.get(store)?.keys ?? []) records.delete(entryName(store, key));
  };
  const endPast = (store: string): void => {
    const known = stores.get(store);
    if (known !== undefined && known.expiresAt <= clock.now()) clear(store);
  };

  return {
    get(store, key) {
      endPast(store);
      return records.get(entryName(store, key))?.record ?? null;
    },
    put(store, record, expiresAt) {
      if (expiresAt <= clock.now()) return false;
      endPast(store);
      const name = entryName(store, record.key);
      const existing = records.peek(name)?.record.sequence ?? floors.get(name) ?? 0;
      if (existing > record.sequence) return false;
      floors.delete(name);
      const known = stores.get(store) ?? { keys: new Set(), expiresAt };
      known.keys.add(record.key);
      // Only the item record shortens: a put may carry the expiry of before a renewal.
      known.expiresAt = Math.max(known.expiresAt, expiresAt);
      stores.set(store, known);
      records.set(name, { store, record });
      return true;
    },
    forget(store, key, sequence) {
      const name = entryName(store, key);
      if (records.peek(name)?.record.sequence === sequence) records.delete(name);
    },
    endAt(store, expiresAt) {
      endPast(store);
      const known = stores.get(store);
      if (known !== undefined) known.expiresAt = expiresAt;
    },
    clear,
    clearAll() {
      records.clear();
      floors.clear();
      stores.clear();
    },
  };
}
