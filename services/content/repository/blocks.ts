import { BLOCKS_IN_FORCE, type Block, type BlockedClients } from '../../../shared/contracts/blocklist.ts';
import type { Query } from '../../../shared/items/sql.ts';

const columns = (sql: Query, now: number) => sql`
  id, ip, ua_pattern, reason, blocked_at, blocked_by, expires_at, ${isInForce(sql, now)} as active`;

const isInForce = (sql: Query, now: number) => sql`
  (removed_at is null and (expires_at is null or expires_at > ${now}))`;

/** Grows with every change of the list; 0 before the first. */
export async function readRevision(sql: Query): Promise<number> {
  const [found] = await sql<Array<{ revision: number }>>`
    select coalesce(max(revision), 0) as revision from blocks`;
  return found?.revision ?? 0;
}

/** Keeps other changes of the list out until the transaction ends: the order of revisions is that of commits. */
export async function lockBlocklist(sql: Query): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('blocklist', 4))`;
}

export async function listInForce(sql: Query, now: number): Promise<BlockedClients[]> {
  return await sql<BlockedClients[]>`
    select ip, ua_pattern, expires_at from blocks where ${isInForce(sql, now)} limit ${BLOCKS_IN_FORCE}`;
}

export async function countInForce(sql: Query, now: number): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from blocks where ${isInForce(sql, now)}`;
  return found?.count ?? 0;
}

export interface BlockFilter {
  active: boolean | null;
  type: 'ip' | 'ua' | null;
}

/** Entries that pass a filter, newest first. */
export async function listBlocks(
  sql: Query,
  filter: BlockFilter,
  { offset, limit }: { offset: number; limit: number },
  now: number,
): Promise<Block[]> {
  return await sql<Block[]>`
    select ${columns(sql, now)} from blocks where ${matching(sql, filter, now)}
    order by blocked_at desc, id desc offset ${offset} limit ${limit}`;
}

export async function countBlocks(sql: Query, filter: BlockFilter, now: number): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from blocks where ${matching(sql, filter, now)}`;
  return found?.count ?? 0;
}

const matching = (sql: Query, { active, type }: BlockFilter, now: number) => sql`
  true
  ${active === null ? sql`` : sql`and ${isInForce(sql, now)} = ${active}`}
  ${type === 'ip' ? sql`and ip is not null` : sql``}
  ${type === 'ua' ? sql`and ua_pattern is not null` : sql``}`;

export async function findBlock(sql: Query, id: string, now: number): Promise<Block | null> {
  const [found] = await sql<Block[]>`select ${columns(sql, now)} from blocks where id = ${id}`;
  return found ?? null;
}

/** Inserts an entry; the list is locked. */
export async function insertBlock(sql: Query, block: Omit<Block, 'active'>): Promise<void> {
  const { id, ip, uaPattern, reason, blockedAt, blockedBy, expiresAt } = block;
  await sql`
    insert into blocks (id, ip, ua_pattern, reason, blocked_at, blocked_by, expires_at, revision)
    values (
      ${id}, ${ip}, ${uaPattern}, ${reason}, ${blockedAt}, ${blockedBy}, ${expiresAt},
      (select coalesce(max(revision), 0) + 1 from blocks)
    )`;
}

/** Ends an entry; the list is locked. Returns whether there was one that had not been removed. */
export async function markRemoved(sql: Query, id: string, now: number): Promise<boolean> {
  const { count } = await sql`
    update blocks set removed_at = ${now}, revision = (select max(revision) + 1 from blocks)
    where id = ${id} and removed_at is null`;
  return count > 0;
}
