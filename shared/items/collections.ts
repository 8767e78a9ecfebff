import type { OwnerListInput } from '../contracts/items.ts';
import { errors } from '../errors.ts';
import { type Kind, PUBLIC_NAMESPACE } from './item.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import { type AnyItem, type Item, itemColumns } from './item-repository.ts';
import { isVisibleToOwner } from './quarantine.ts';
import type { Query } from './sql.ts';

/** The items of one kind in a namespace; in the public one those of one owner (specification 6.1). */
export interface Collection {
  kind: Kind;
  namespace: string;
  ownerHash: string;
}

/**
 * Makes sure that a collection has room for one more item. Holds a lock until the transaction ends, so that of many
 * inserts at once no more than the limit succeed.
 * @throws LIMIT_REACHED
 */
export async function assertRoom(
  sql: Query,
  { kind, namespace, ownerHash }: Collection,
  limit: { items: number; what: string },
  now: number,
): Promise<void> {
  const shared = namespace !== PUBLIC_NAMESPACE;
  const identity = [kind, namespace, shared ? '' : ownerHash].join(' ');
  await sql`select pg_advisory_xact_lock(hashtextextended(${identity}, 1))`;
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from items
    where namespace = ${namespace} and kind = ${kind} and expires_at > ${now}
      ${shared ? sql`` : sql`and owner_hash = ${ownerHash}`}`;
  if ((found?.count ?? 0) >= limit.items) throw errors.limitReached(limit.what, limit.items);
}

/** Where a list goes on: behind the item created then, of that id. */
export interface ListCursor {
  createdAt: number;
  id: string;
}

/** The live items of an owner in a namespace that are not hidden, newest first, behind a cursor. */
async function listItems(
  sql: Query,
  { kind, namespace, ownerHash }: Collection,
  page: { after: ListCursor | null; offset: number; limit: number },
  now: number,
): Promise<AnyItem[]> {
  const { after, offset, limit } = page;
  return await sql<AnyItem[]>`
    select ${itemColumns(sql)} from items
    where owner_hash = ${ownerHash} and namespace = ${namespace} and kind = ${kind} and expires_at > ${now}
      and ${isVisibleToOwner(sql)} ${after === null ? sql`` : sql`and (created_at, id) < (${after.createdAt}, ${after.id})`}
    order by created_at desc, id desc offset ${offset} limit ${limit}`;
}

/** How many live items an owner has in a namespace, hidden ones aside. */
export async function countItems(
  sql: Query,
  { kind, namespace, ownerHash }: Collection,
  now: number,
): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from items
    where owner_hash = ${ownerHash} and namespace = ${namespace} and kind = ${kind} and expires_at > ${now} and ${isVisibleToOwner(sql)}`;
  return found?.count ?? 0;
}

/** One page of what an owner has of a kind in a namespace, and how much there is in all. */
export async function listItemsOfKind<K extends Kind>(
  { sql, clock }: Pick<ItemDependencies, 'sql' | 'clock'>,
  kind: K,
  { namespace, ownerHash, ...page }: OwnerListInput,
): Promise<{ items: Array<Item<K>>; total: number }> {
  const now = clock.now();
  const collection = { kind, namespace, ownerHash };
  const [items, total] = await Promise.all([
    listItems(sql, collection, page, now),
    countItems(sql, collection, now),
  ]);
  return { items: items as unknown as Array<Item<K>>, total };
}
