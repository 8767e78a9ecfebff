import type { Clock } from '../clock.ts';
import { errors } from '../errors.ts';
import type { ItemRef, Kind } from './item.ts';
import { type AnyItem, findItem, type Item } from './item-repository.ts';
import type { Query } from './sql.ts';

/** An item that a request wants to change or see as its owner. */
export interface OwnedItemRef<K extends Kind> extends ItemRef {
  kind: K;
  ownerHash: string;
}

interface FindOptions {
  /** Read after the item is: waiting for a lock takes time. */
  clock: Clock;
  lock: boolean;
}

/** The live item at an address, whatever its kind; `lock` as in `findItem`. @throws NOT_FOUND */
export async function findLiveItem(
  sql: Query,
  { namespace, id }: ItemRef,
  { clock, lock }: FindOptions,
): Promise<AnyItem> {
  const found = await findItem(sql, { namespace, id }, lock);
  if (found === null || found.expiresAt <= clock.now()) throw errors.contentNotFound(namespace, id);
  return found;
}

/**
 * The live item of a kind at an address, for its owner; `lock` as in `findItem`.
 * @throws NOT_FOUND, then OWNER_TOKEN_WRONG: the order of checks on a write (specification 12.3).
 */
export async function findOwnedItem<K extends Kind>(
  sql: Query,
  { kind, ownerHash, namespace, id }: OwnedItemRef<K>,
  options: FindOptions,
): Promise<Item<K>> {
  const found = await findLiveItem(sql, { namespace, id }, options);
  if (found.kind !== kind) throw errors.contentNotFound(namespace, id);
  assertOwner(found, ownerHash);
  return found as unknown as Item<K>;
}

/** @throws OWNER_TOKEN_WRONG */
export function assertOwner(item: AnyItem, ownerHash: string): void {
  if (item.ownerHash !== ownerHash) throw errors.ownerTokenWrong();
}
