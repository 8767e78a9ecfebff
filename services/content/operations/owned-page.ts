import type { Clock } from '../../../shared/clock.ts';
import { errors } from '../../../shared/errors.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { findPage, type StoredPage } from '../kinds/html.ts';

interface OwnedPageOptions {
  /** Read after the page is: waiting for a lock takes time. */
  clock: Clock;
  lock: boolean;
}

/**
 * The live page at an address, for its owner; `lock` as in `findPage`.
 * @throws NOT_FOUND, then OWNER_TOKEN_WRONG: the order of checks on a write (shapes.md, Conventions).
 */
export async function findOwnedPage(
  sql: Query,
  item: ItemRef,
  ownerHash: string,
  { clock, lock }: OwnedPageOptions,
): Promise<StoredPage> {
  const page = await findPage(sql, item, lock);
  if (page === null || page.expiresAt <= clock.now()) throw errors.contentNotFound(item.namespace, item.id);
  if (page.ownerHash !== ownerHash) throw errors.ownerTokenWrong();
  return page;
}
