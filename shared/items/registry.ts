import type { Receipt } from '../contracts/create.ts';
import { errors } from '../errors.ts';
import type { ItemRef, Kind } from './item.ts';
import type { Query } from './sql.ts';

/** What every kind of content has in common: a row of `items`. */
export interface Item extends ItemRef {
  kind: Kind;
  code: string;
  version: number;
  ownerHash: string;
  passwordHash: string | null;
  title: string;
  tags: string[];
  ttlDays: number;
  sizeBytes: number;
  createdAt: number;
  updatedAt: number;
  expiresAt: number;
}

/** Broken by a taken address, a taken short code, a repeated create. */
export const CONSTRAINTS = {
  address: 'items_pkey',
  code: 'items_code_key',
  receipt: 'create_receipts_pkey',
} as const;

const COLUMNS = [
  ...(['namespace', 'id', 'kind', 'code', 'ownerHash', 'passwordHash', 'title', 'tags', 'ttlDays'] as const),
  ...(['sizeBytes', 'createdAt', 'updatedAt', 'expiresAt'] as const),
] satisfies Array<keyof Item>;

/** Inserts an item with its receipt; the caller's transaction decides. Returns the version it got. */
export async function insertItem(sql: Query, item: Item, receipt: Receipt): Promise<number> {
  const { namespace, id, createdAt } = item;
  const [row] = await sql<
    Array<{ version: number }>
  >`insert into items ${sql(item, ...COLUMNS)} returning version`;
  // The insert takes its version and then may wait for a removal that frees the address: only from here on it is seen.
  const [later] = await sql<Array<{ version: number }>>`
    with receipt as (
      insert into create_receipts (receipt, fingerprint, namespace, id, created_at)
      values (${receipt.key}, ${receipt.fingerprint}, ${namespace}, ${id}, ${createdAt})
    )
    update items set version = nextval('item_version')
    where namespace = ${namespace} and id = ${id} and version < (
      select max(version) from tombstones where namespace = ${namespace} and id = ${id}
    ) returning version`;
  if (row === undefined) throw new Error('an insert returned no row');
  return later?.version ?? row.version;
}

/** Removes items with all that hangs on them, and leaves tombstones. Their blobs are the caller's to discard. */
export async function buryItems(sql: Query, items: ItemRef[], now: number): Promise<void> {
  const namespaces = items.map((item) => item.namespace);
  const ids = items.map((item) => item.id);
  await sql`
    with removed as (
      delete from items using unnest(${namespaces}::text[], ${ids}::text[]) as due (namespace, id)
      where items.namespace = due.namespace and items.id = due.id
      returning items.namespace, items.id, items.code
    )
    insert into tombstones (code, namespace, id, version, removed_at)
    select code, namespace, id, nextval('item_version'), ${now} from removed
    on conflict (code) do update
    set namespace = excluded.namespace, id = excluded.id, version = excluded.version, removed_at = excluded.removed_at`;
}

export interface Tombstone extends ItemRef {
  version: number;
}

export async function findTombstone(sql: Query, { namespace, id }: ItemRef): Promise<Tombstone | null> {
  const [found] = await sql<Tombstone[]>`
    select namespace, id, version from tombstones
    where namespace = ${namespace} and id = ${id} order by version desc limit 1`;
  return found ?? null;
}

/** Where a short code leads or led. */
export interface CodeTarget extends ItemRef {
  live: boolean;
  /** Removed, or expired and cleaned up. */
  swept: boolean;
}

export async function findByCode(sql: Query, code: string, now: number): Promise<CodeTarget | null> {
  const [found] = await sql<CodeTarget[]>`
    select namespace, id, expires_at > ${now} as live, false as swept from items where code = ${code}
    union all
    select namespace, id, false, true from tombstones where code = ${code}
    limit 1`;
  return found ?? null;
}

/**
 * The item that an earlier attempt at the same create made, if it is still there.
 * @throws VALIDATION_FAILED when the key was used for another request.
 */
export async function findByReceipt(sql: Query, receipt: Receipt): Promise<ItemRef | null> {
  const [found] = await sql<Array<ItemRef & { fingerprint: string }>>`
    select namespace, id, fingerprint from create_receipts where receipt = ${receipt.key}`;
  if (found === undefined) return null;
  if (found.fingerprint !== receipt.fingerprint) throw errors.idempotencyKeyReused();
  return found;
}

/** Forgets some receipts of creates before a moment. Returns how many. */
export async function forgetReceipts(sql: Query, before: number, limit: number): Promise<number> {
  // Skips what goes with its item right now: two that wait for each other's rows would end in a deadlock.
  const { count } = await sql`
    delete from create_receipts where receipt = any(array(
      select receipt from create_receipts where created_at < ${before}
      order by created_at limit ${limit} for update skip locked
    ))`;
  return count;
}

/** Removals after a moment, in the order of their addresses, after a given one. */
export async function findTombstonesSince(
  sql: Query,
  since: number,
  after: ItemRef,
  limit: number,
): Promise<Tombstone[]> {
  return await sql<Tombstone[]>`
    select distinct on (namespace, id) namespace, id, version from tombstones
    where removed_at > ${since} and (namespace, id) > (${after.namespace}, ${after.id})
    order by namespace, id, version desc limit ${limit}`;
}

/** Outside the public namespace nothing may tell that an item was there (specification, section 3). */
export async function forgetTombstones(sql: Query, before: number): Promise<void> {
  // The namespace stands in the text, as in the index: among a million public tombstones these are found at once.
  await sql`delete from tombstones where removed_at < ${before} and namespace <> 'public'`;
}
