import { nanoid } from 'nanoid';
import { createRedisCache, type RedisCacheOptions } from '../../../shared/adapters/cache/redis.ts';
import type { CachedEntry } from '../../../shared/items/entry.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { ItemRecordOf, LiveItemRecord, RemovedItemRecord } from '../../../shared/items/item-record.ts';
import type { Cache } from '../../../shared/ports/cache.ts';

/** Two caches that share what they know, such as those of two gateways. They may be one and the same. */
export type CachePair = [Cache, Cache];

/** Part of every key that a test makes, so that others may use the same server. */
export const TEST_PREFIX = `contract-${nanoid()}`;

/** An item no other test knows. */
export const freshItem = (): ItemRef => ({ namespace: TEST_PREFIX, id: nanoid() });

const liveBase = (item: ItemRef) => ({
  ...item,
  version: 1,
  expiresAt: Date.now() + 60_000,
  state: 'live' as const,
  code: 'aB3dE6g',
  title: 'Überschrift | "quoted" 😀\nsecond line',
  tags: ['a', 'ä b'],
  sizeBytes: 1_234,
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  ownerHash: 'owner',
  passwordHash: null,
});

export const liveRecord = (
  item: ItemRef,
  changes: Partial<ItemRecordOf<'html'>> = {},
): ItemRecordOf<'html'> => ({
  ...liveBase(item),
  kind: 'html',
  content: {
    format: 'MARKDOWN',
    language: null,
    filename: null,
    contentType: 'text/html; charset=utf-8',
    showTopBar: null,
    titleGiven: false,
    sha256: 'f'.repeat(64),
    blobKey: 'ab/cdefghijklm',
    viewKey: 'ab/mlkjihgfedc',
  },
  ...changes,
});

export const kvRecord = (item: ItemRef, changes: Partial<ItemRecordOf<'kv'>> = {}): ItemRecordOf<'kv'> => ({
  ...liveBase(item),
  kind: 'kv',
  content: {},
  ...changes,
});

/** One record of each kind, each of an item of its own. */
export const recordsOfEveryKind = (): LiveItemRecord[] => [
  liveRecord(freshItem()),
  kvRecord(freshItem()),
  {
    ...liveBase(freshItem()),
    kind: 'json',
    content: { sha256: '0'.repeat(64), blobKey: 'js/on' },
  },
  {
    ...liveBase(freshItem()),
    kind: 'file',
    content: {
      filename: 'größe {1}|2.pdf',
      contentType: 'application/pdf',
      family: 'pdf',
      sha256: '1'.repeat(64),
      blobKey: 'fi/le',
      viewKey: null,
    },
  },
  {
    ...liveBase(freshItem()),
    kind: 'site',
    content: { entryFile: 'index.html', fileCount: 3, blobKey: 'si/te', indexKey: 'in/dex' },
  },
];

export const removedRecord = (item: ItemRef, version: number): RemovedItemRecord => ({
  ...item,
  version,
  expiresAt: Date.now() + 60_000,
  state: 'removed',
});

/** Waits for what comes by itself, such as an expiry. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (await isTrue()) return;
    await Bun.sleep(20);
  }
  throw new Error('waited in vain');
}

/** A cache record of a key of the store that `kvRecord` describes. */
export const cachedEntry = (
  key: string,
  sequence: number,
  value = JSON.stringify({ key, sequence }),
): CachedEntry => ({
  store: 'aB3dE6g',
  key,
  sequence,
  entry: {
    key,
    value,
    sizeBytes: Buffer.byteLength(value),
    version: sequence,
    sequence,
    updatedAt: 1_700_000_000_000,
  },
});

export const removedEntry = (key: string, sequence: number): CachedEntry => ({
  ...cachedEntry(key, sequence),
  entry: null,
});

/** A cache in Redis that is current at once, also each time it comes back, as if a repair pass had nothing to tell. */
export async function openCurrentCache(options: RedisCacheOptions): Promise<Cache> {
  const cache = await createRedisCache(options);
  cache.onReturn(() => void makeCurrent(cache).catch(() => undefined));
  await makeCurrent(cache);
  return cache;
}

export async function makeCurrent(cache: Cache): Promise<void> {
  for (const part of ['items', 'entries'] as const) {
    const { run } = await cache.stateOf(part);
    await cache.setCurrent(part, { toldUntil: Date.now(), databaseStart: 'test' }, run);
  }
}
