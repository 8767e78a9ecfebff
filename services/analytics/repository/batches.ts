import type { Query } from '../../../shared/items/sql.ts';

/**
 * Notes batches as written, and returns the ids that were not before. Of transactions that note the same batch the
 * second waits for the end of the first. In the order of ids, so that none waits in a circle.
 */
export async function claimBatches(sql: Query, ids: readonly string[], now: number): Promise<Set<string>> {
  const claimed = await sql<Array<{ id: string }>>`
    insert into access_batches (id, received_at)
    select id, ${now}::timestamptz from unnest(${[...ids]}::text[]) as batch (id) order by id
    on conflict (id) do nothing
    returning id`;
  return new Set(claimed.map(({ id }) => id));
}

/** Forgets some batches noted before a moment. Returns how many. */
export async function forgetBatches(sql: Query, before: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from access_batches where id = any(array(
      select id from access_batches where received_at < ${before}
      order by received_at limit ${limit} for update skip locked
    ))`;
  return count;
}
