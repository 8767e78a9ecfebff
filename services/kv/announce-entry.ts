import { CACHED_VALUE_BYTES, type CachedEntry, type Entry } from '../../shared/items/entry.ts';
import { type ItemRef, itemKey } from '../../shared/items/item.ts';
import type { KvDependencies } from './dependencies.ts';
import type { StoreOfEntry, WrittenEntry } from './repository/entries.ts';

/** A change of a key: its new value, or `null` when it was removed. */
export interface EntryChange {
  /** The short code of the store. */
  store: string;
  key: string;
  sequence: number;
  entry: Entry | null;
}

export type AnnouncingDependencies = Pick<
  KvDependencies,
  'cache' | 'log' | 'announcementMissed' | 'publishKeyChange'
>;

/**
 * The cache's record of a change. Its `entry` is `null` for a removed key and for a value too large to be kept: then
 * readers ask this service. Either way it keeps an older value from being served or filled in, as its sequence is
 * higher; so the cache needs no third state.
 */
export function toRecord({ entry, ...change }: EntryChange): CachedEntry {
  const kept = entry !== null && Buffer.byteLength(entry.value) <= CACHED_VALUE_BYTES;
  return { ...change, entry: kept ? entry : null };
}

/**
 * Puts a committed change into the cache before the reply leaves, so that no gateway serves the old value after it. A
 * cache that is away does not undo the write: the repair pass tells it later. Gateways that watch the key hear of it.
 */
export async function announceEntry(
  { cache, log, announcementMissed, publishKeyChange }: AnnouncingDependencies,
  item: ItemRef,
  change: EntryChange,
  expiresAt: number,
): Promise<void> {
  try {
    await cache.putEntry(item, toRecord(change), expiresAt);
  } catch (error) {
    announcementMissed();
    log.warn({ error, item: itemKey(item) }, 'the cache missed a key; the repair pass will bring it');
  }
  publishKeyChange(item, change.key);
}

/** Announces a value that was written to a key. Returns the part of the written row that replies tell of. */
export async function announceWritten(
  deps: AnnouncingDependencies,
  item: ItemRef,
  { store, expiresAt, ...entry }: WrittenEntry & StoreOfEntry,
  value: string,
): Promise<{ entry: WrittenEntry; expiresAt: number }> {
  const change = { store, key: entry.key, sequence: entry.sequence, entry: { ...entry, value } };
  await announceEntry(deps, item, change, expiresAt);
  return { entry, expiresAt };
}
