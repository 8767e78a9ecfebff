import { describeItem } from '../../../shared/contracts/items.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { listOwnedItems as contract, OwnedItem } from '../../../shared/contracts/owners.ts';
import { itemKey } from '../../../shared/items/item.ts';
import type { AnyItem } from '../../../shared/items/item-repository.ts';
import { type KvSummary, summariseKv } from '../../../shared/items/kv-summaries.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { countOwned, listOwned } from '../repository/owned-items.ts';

/** A part of what an owner has in all namespaces, newest first, and how much there is in all. */
export async function listOwnedItems(
  { sql, clock }: Pick<ContentDependencies, 'sql' | 'clock'>,
  { ownerHash, kind, offset, limit }: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const now = clock.now();
  const selection = { ownerHash, kind };
  const [items, total] = await Promise.all([
    listOwned(sql, selection, { offset, limit }, now),
    countOwned(sql, selection, now),
  ]);
  const stores = await summariseKv(
    sql,
    items.filter((item) => item.kind === 'kv'),
  );
  return { items: items.map((item) => toOwned(item, stores.get(itemKey(item)) ?? EMPTY)), total };
}

const EMPTY: KvSummary = { keyCount: 0, sizeBytes: 0, updatedAt: 0 };

/** The values of a store are rows of their own: its size and last change are theirs. */
function toOwned(item: AnyItem, store: KvSummary): OwnedItem {
  const { content, excerpt, ...described } = describeItem(item);
  const owned = { ...described, kind: item.kind };
  if (item.kind !== 'kv') return owned;
  return { ...owned, sizeBytes: store.sizeBytes, updatedAt: Math.max(store.updatedAt, item.updatedAt) };
}
