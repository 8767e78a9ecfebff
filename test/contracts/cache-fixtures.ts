import { nanoid } from 'nanoid';
import type { ItemRef } from '../../shared/items/item.ts';
import type { LiveRoute, RemovedRoute } from '../../shared/items/route.ts';
import type { Cache } from '../../shared/ports/cache.ts';

/** Two caches that share what they know, such as those of two gateways. They may be one and the same. */
export type CachePair = [Cache, Cache];

/** Part of every key that a test makes, so that others may use the same server. */
export const TEST_PREFIX = `contract-${nanoid()}`;

/** An item no other test knows. */
export const freshItem = (): ItemRef => ({ namespace: TEST_PREFIX, id: nanoid() });

export const liveRoute = (item: ItemRef, changes: Partial<LiveRoute> = {}): LiveRoute => ({
  ...item,
  version: 1,
  expiresAt: Date.now() + 60_000,
  state: 'live',
  kind: 'html',
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  ownerHash: 'owner',
  passwordHash: null,
  page: {
    format: 'MARKDOWN',
    title: 'Überschrift | "quoted" 😀\nsecond line',
    filename: null,
    contentType: 'text/html; charset=utf-8',
    showTopBar: null,
    blobKey: 'ab/cdefghijklm',
    viewKey: 'ab/mlkjihgfedc',
    sha256: 'f'.repeat(64),
  },
  ...changes,
});

export const removedRoute = (item: ItemRef, version: number): RemovedRoute => ({
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
