import { errors } from '../errors.ts';
import { announceRoute } from './announce-route.ts';
import { claimBlobs, discardBlobs, wasUsed } from './blob-trash.ts';
import { blobKeysOf } from './content.ts';
import type { Kind } from './item.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import { findOwnedItem, type OwnedItemRef } from './owned-item.ts';
import { type AnyItem, type ContentChange, type Item, toRoute, updateItemRow } from './registry.ts';
import type { Query } from './sql.ts';

/** The kinds whose content is a blob that an update replaces. */
export type ReplaceableKind = Exclude<Kind, 'kv'>;

export interface Replacement<K extends ReplaceableKind> {
  item: OwnedItemRef<K>;
  /** The new content's first blob: whoever finds it in place knows that an earlier attempt has done the work. */
  blobKey: string;
  /** What takes long, such as rendering; outside of any transaction. */
  prepare(standing: Item<K>): Promise<(locked: Item<K>) => ContentChange<K>>;
}

/** Replaces an item's content in one step; readers see the old one whole or the new one whole. */
export async function replaceContent<K extends ReplaceableKind>(
  deps: ItemDependencies,
  replacement: Replacement<K>,
): Promise<Item<K>> {
  const { sql, clock } = deps;
  const standing = await findOwnedItem(sql, replacement.item, { clock, lock: false });
  const item = standing.content.blobKey === replacement.blobKey ? standing : await replace();
  // Also after an earlier attempt: it may have died between its commit and its announcement.
  await announceRoute(deps, toRoute(item as AnyItem));
  return item;

  async function replace(): Promise<Item<K>> {
    const change = await replacement.prepare(standing);
    return await sql.begin((tx) => swap(tx, deps, { ...replacement, code: standing.code }, change));
  }
}

async function swap<K extends ReplaceableKind>(
  tx: Query,
  { clock, blobGraceMs }: ItemDependencies,
  { item, blobKey, code }: Replacement<K> & { code: string },
  change: (locked: Item<K>) => ContentChange<K>,
): Promise<Item<K>> {
  const locked = await findOwnedItem(tx, item, { clock, lock: true });
  // Removed and made anew meanwhile: what was prepared is not for this one.
  if (locked.code !== code) throw errors.contentNotFound(item.namespace, item.id);
  // An earlier attempt at this update has made it meanwhile, and perhaps another update has replaced it since.
  if (locked.content.blobKey === blobKey || (await wasUsed(tx, blobKey))) return locked;
  // Preparing and the lock may have taken long: the change counts from here.
  const now = clock.now();
  const updated = await updateItemRow(tx, locked, change(locked), now);
  await claimBlobs(tx, blobKeysOf(updated.content), now);
  await discardBlobs(tx, blobKeysOf(locked.content), now + blobGraceMs);
  return updated;
}
