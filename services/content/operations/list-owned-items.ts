import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { listOwnedItems as contract, OwnedItem } from '../../../shared/contracts/owners.ts';
import { describeItem } from '../../../shared/items/describe-item.ts';
import type { Kind } from '../../../shared/items/item.ts';
import { type AnyItem, itemColumns } from '../../../shared/items/item-repository.ts';
import { type KvSummary, summariseKv } from '../../../shared/items/kv-summaries.ts';
import { isVisibleToOwner } from '../../../shared/items/quarantine.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { ContentDependencies } from '../dependencies.ts';

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
  const totalsOf = await summariseKv(
    sql,
    items.filter((item) => item.kind === 'kv'),
  );
  return { items: items.map((item) => toOwned(item, totalsOf(item))), total };
}

/** The values of a store are rows of their own: its size and last change are theirs. */
function toOwned(item: AnyItem, store: KvSummary): OwnedItem {
  const { content, excerpt, ...described } = describeItem(item);
  const owned = { ...described, kind: item.kind };
  if (item.kind !== 'kv') return owned;
  return { ...owned, sizeBytes: store.sizeBytes, updatedAt: Math.max(store.updatedAt, item.updatedAt) };
}

/** A selection among the items of an owner; `kind` is `null` for all kinds. */
interface OwnedSelection {
  ownerHash: string;
  kind: Kind | null;
}

/** The live items of an owner in all namespaces that are not hidden, newest first. */
async function listOwned(
  sql: Query,
  selection: OwnedSelection,
  { offset, limit }: { offset: number; limit: number },
  now: number,
): Promise<AnyItem[]> {
  return await sql<AnyItem[]>`
    select ${itemColumns(sql)} from items where ${matches(sql, selection, now)}
    order by created_at desc, namespace desc, id desc offset ${offset} limit ${limit}`;
}

async function countOwned(sql: Query, selection: OwnedSelection, now: number): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from items where ${matches(sql, selection, now)}`;
  return found?.count ?? 0;
}

const matches = (sql: Query, { ownerHash, kind }: OwnedSelection, now: number) => sql`
  owner_hash = ${ownerHash} and expires_at > ${now} and ${isVisibleToOwner(sql)} ${kind === null ? sql`` : sql`and kind = ${kind}`}`;
