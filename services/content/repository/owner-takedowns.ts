import type { ItemRef } from '../../../shared/items/item.ts';
import { type AnyItem, itemColumns } from '../../../shared/items/item-repository.ts';
import type { Query } from '../../../shared/items/sql.ts';

/** Has all items of an owner taken down: from its commit on that is finished, by whichever process. */
export async function orderTakedown(sql: Query, ownerId: string, now: number): Promise<void> {
  await sql`
    insert into owner_takedowns (owner_id, requested_at) values (${ownerId}, ${now}) on conflict (owner_id) do nothing`;
}

/** Owners whose takedown is not done. */
export async function listTakedowns(sql: Query, limit: number): Promise<string[]> {
  const rows = await sql<Array<{ ownerId: string }>>`
    select owner_id from owner_takedowns order by requested_at limit ${limit}`;
  return rows.map(({ ownerId }) => ownerId);
}

/** Some addresses of an owner's items. */
export async function someItemsOf(sql: Query, ownerId: string, limit: number): Promise<ItemRef[]> {
  return await sql<ItemRef[]>`
    select namespace, id from items where owner_hash = ${ownerId} limit ${limit}`;
}

/** Locks items that are still this owner's, in the order of their addresses: of two at once none waits in a circle. */
export async function lockItemsOf(sql: Query, ownerId: string, items: ItemRef[]): Promise<AnyItem[]> {
  const namespaces = items.map(({ namespace }) => namespace);
  const ids = items.map(({ id }) => id);
  return await sql<AnyItem[]>`
    select ${itemColumns(sql)} from items
    where owner_hash = ${ownerId}
      and (namespace, id) in (select * from unnest(${namespaces}::text[], ${ids}::text[]))
    order by namespace, id for update`;
}

/** Ends a takedown unless the owner has items. Returns whether it has ended. */
export async function endTakedown(sql: Query, ownerId: string): Promise<boolean> {
  const { count } = await sql`
    delete from owner_takedowns
    where owner_id = ${ownerId} and not exists (select from items where owner_hash = ${ownerId})`;
  return count > 0;
}
