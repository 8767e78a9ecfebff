import { errors } from '../../../shared/errors.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { findPage, type StoredPage } from '../kinds/html.ts';

interface OwnedPageOptions {
  now: number;
  lock: boolean;
}

/**
 * The live page at an address, for its owner.
 * @throws NOT_FOUND, then OWNER_TOKEN_WRONG: the order of checks on a write (shapes.md, Conventions).
 */
export async function findOwnedPage(
  sql: Query,
  item: ItemRef,
  ownerHash: string,
  { now, lock }: OwnedPageOptions,
): Promise<StoredPage> {
  const page = await findPage(sql, item, lock);
  if (page === null || page.expiresAt <= now) throw errors.contentNotFound(item.namespace, item.id);
  if (page.ownerHash !== ownerHash) throw errors.ownerTokenWrong();
  return page;
}
