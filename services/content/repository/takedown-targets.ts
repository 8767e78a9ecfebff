import type { TakedownTarget } from '../../../shared/contracts/takedowns.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import { type AnyItem, itemColumns } from '../../../shared/items/item-repository.ts';
import type { Query } from '../../../shared/items/sql.ts';

/** The condition for items of a target. Each kind of target has an index of its own. */
function isTargeted(sql: Query, { by, value }: TakedownTarget) {
  if (by === 'owner') return sql`owner_hash = ${value}`;
  if (by === 'content') {
    const etag = value.slice(0, 32);
    return sql`(left(content ->> 'sha256', 32) = ${etag} or file_etags @> ${[etag]}::text[])`;
  }
  return sql`
    address_of(client_ip) between host(network(${value}::text::inet))::inet and host(broadcast(${value}::text::inet))::inet`;
}

/** Some addresses of the items. */
export async function findTargeted(sql: Query, target: TakedownTarget, limit: number): Promise<ItemRef[]> {
  return await sql<
    ItemRef[]
  >`select namespace, id from items where ${isTargeted(sql, target)} limit ${limit}`;
}

/** Locks items that are still targeted, in the order of their addresses: of two at once none waits in a circle. */
export async function lockTargeted(sql: Query, target: TakedownTarget, items: ItemRef[]): Promise<AnyItem[]> {
  const namespaces = items.map(({ namespace }) => namespace);
  const ids = items.map(({ id }) => id);
  return await sql<AnyItem[]>`
    select ${itemColumns(sql)} from items
    where ${isTargeted(sql, target)}
      and (namespace, id) in (select * from unnest(${namespaces}::text[], ${ids}::text[]))
    order by namespace, id for update`;
}

/** How many items are targeted, counted up to `bound`. */
export async function countTargeted(sql: Query, target: TakedownTarget, bound: number): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from (select from items where ${isTargeted(sql, target)} limit ${bound}) some_items`;
  return found?.count ?? 0;
}
