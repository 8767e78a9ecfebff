import type { BlockedContent } from '../../../shared/contracts/takedowns.ts';
import { EMPTY_ETAG } from '../../../shared/items/etag.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { Query } from '../../../shared/items/sql.ts';

export interface NewBlock {
  reason: string;
  blockedBy: string;
  blockedAt: number;
  expiresAt: number;
}

/** Content to block: its ETag, and all of its SHA-256 where that is known. */
export interface Hashed {
  etag: string;
  sha256: string | null;
}

/** Blocks content; a block that is there already begins anew. Returns how many are in force that were not before. */
export async function insertBlocked(sql: Query, hashes: Hashed[], block: NewBlock): Promise<number> {
  // In one order for all, so that no two wait for each other.
  const unique = [...new Map(hashes.map((one) => [one.etag, one])).values()].toSorted((one, other) =>
    one.etag < other.etag ? -1 : 1,
  );
  if (unique.length === 0) return 0;
  const { reason, blockedBy, blockedAt, expiresAt } = block;
  const [row] = await sql<Array<{ fresh: number }>>`
    with given as (
      select * from unnest(
        ${unique.map(({ etag }) => etag)}::text[], ${unique.map(({ sha256 }) => sha256 ?? '')}::text[]
      ) as given (etag, sha256)
    ), before as (
      select etag from blocked_content join given using (etag) where expires_at > ${blockedAt}
    ), kept as (
      insert into blocked_content (etag, sha256, reason, blocked_at, blocked_by, expires_at)
      select etag, nullif(sha256, ''), ${reason}, ${blockedAt}, ${blockedBy}, ${expiresAt} from given
      on conflict (etag) do update set sha256 = coalesce(excluded.sha256, blocked_content.sha256),
        reason = excluded.reason, blocked_at = excluded.blocked_at, blocked_by = excluded.blocked_by,
        expires_at = greatest(excluded.expires_at, blocked_content.expires_at)
    )
    select (select count(*) from given) - (select count(*) from before) as fresh`;
  return row?.fresh ?? 0;
}

/** Blocks in force, newest first. */
export async function listBlocked(
  sql: Query,
  { offset, limit }: { offset: number; limit: number },
  now: number,
): Promise<BlockedContent[]> {
  return await sql<BlockedContent[]>`
    select coalesce(sha256, etag) as hash, reason, blocked_at, blocked_by, expires_at from blocked_content
    where expires_at > ${now} order by blocked_at desc, etag desc offset ${offset} limit ${limit}`;
}

export async function countBlocked(sql: Query, now: number): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from blocked_content where expires_at > ${now}`;
  return found?.count ?? 0;
}

/** Ends a block. Returns whether there was one. */
export async function removeBlocked(sql: Query, etag: string, now: number): Promise<boolean> {
  const [row] = await sql<Array<{ wasInForce: boolean }>>`
    delete from blocked_content where etag = ${etag} returning expires_at > ${now} as was_in_force`;
  return row?.wasInForce ?? false;
}

export async function forgetBlocked(sql: Query, now: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from blocked_content where etag in (
      select etag from blocked_content where expires_at <= ${now} limit ${limit} for update skip locked
    )`;
  return count;
}

/**
 * The content of items: of a site only the file that it begins with, as its others may be libraries that many sites have. Empty
 * content is left out: a block of it would refuse every site with an empty file.
 */
export async function hashesOfItems(sql: Query, items: ItemRef[]): Promise<Hashed[]> {
  return await sql<Hashed[]>`
    select coalesce(left(content ->> 'sha256', 32), file_etags[1]) as etag, content ->> 'sha256' as sha256 from items
    where (namespace, id) in (
        select * from unnest(${items.map(({ namespace }) => namespace)}::text[], ${items.map(({ id }) => id)}::text[])
      )
      and coalesce(left(content ->> 'sha256', 32), file_etags[1]) <> ${EMPTY_ETAG}`;
}
