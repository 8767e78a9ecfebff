import type { Kind } from '../../../shared/items/item.ts';
import { type AnyItem, itemColumns } from '../../../shared/items/item-repository.ts';
import { isOwnersToSee } from '../../../shared/items/quarantine.ts';
import type { Query } from '../../../shared/items/sql.ts';

/** A selection among the items of an owner; `kind` is `null` for all kinds. */
export interface OwnedSelection {
  ownerHash: string;
  kind: Kind | null;
}

/** The live items of an owner in all namespaces that are not hidden, newest first. */
export async function listOwned(
  sql: Query,
  selection: OwnedSelection,
  { offset, limit }: { offset: number; limit: number },
  now: number,
): Promise<AnyItem[]> {
  return await sql<AnyItem[]>`
    select ${itemColumns(sql)} from items where ${matches(sql, selection, now)}
    order by created_at desc, namespace desc, id desc offset ${offset} limit ${limit}`;
}

export async function countOwned(sql: Query, selection: OwnedSelection, now: number): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from items where ${matches(sql, selection, now)}`;
  return found?.count ?? 0;
}

const matches = (sql: Query, { ownerHash, kind }: OwnedSelection, now: number) => sql`
  owner_hash = ${ownerHash} and expires_at > ${now} and ${isOwnersToSee(sql)} ${kind === null ? sql`` : sql`and kind = ${kind}`}`;
