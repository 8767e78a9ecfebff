import type { Clock } from '../clock.ts';
import { errors } from '../errors.ts';
import type { ItemRef, Kind } from './item.ts';
import { findItem, type Item } from './registry.ts';
import type { Query } from './sql.ts';

/** An item that a request wants to change or see as its owner. */
export interface OwnedItemRef<K extends Kind> extends ItemRef {
  kind: K;
  ownerHash: string;
}

interface OwnedItemOptions {
  /** Read after the item is: waiting for a lock takes time. */
  clock: Clock;
  lock: boolean;
}

/**
 * The live item at an address, for its owner; `lock` as in `findItem`.
 * @throws NOT_FOUND, then OWNER_TOKEN_WRONG: the order of checks on a write (shapes.md, Conventions).
 */
export async function findOwnedItem<K extends Kind>(
  sql: Query,
  { kind, ownerHash, ...item }: OwnedItemRef<K>,
  { clock, lock }: OwnedItemOptions,
): Promise<Item<K>> {
  const found = await findItem(sql, item, lock);
  if (found === null || found.kind !== kind || found.expiresAt <= clock.now()) {
    throw errors.contentNotFound(item.namespace, item.id);
  }
  if (found.ownerHash !== ownerHash) throw errors.ownerTokenWrong();
  return found as unknown as Item<K>;
}
