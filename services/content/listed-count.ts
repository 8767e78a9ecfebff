import type { Query } from '../../shared/items/sql.ts';
import { type GalleryFilter, isListed } from './gallery.ts';

type CountedBy = Pick<GalleryFilter, 'kind' | 'tag'>;

/** How many listed items a filter lets through: exactly, as the statement's snapshot has them. */
export async function countListed(sql: Query, filter: CountedBy, now: number): Promise<number> {
  const [counted] = await sql<Array<{ total: number }>>`
    select ${filter.tag === null ? keptCount(sql, filter, now) : countOneByOne(sql, filter, now)} as total`;
  return counted?.total ?? 0;
}

const countOneByOne = (sql: Query, filter: CountedBy, now: number) => sql`
  (select count(*) from items where ${isListed(sql, filter, now)})`;

/**
 * The totals that triggers keep with every change (decision 15), less the few items that are there and not listed: those
 * that have expired and wait for the sweep, and those that are hidden. So it takes as long with a million items as with ten.
 */
const keptCount = (sql: Query, { kind }: CountedBy, now: number) => {
  const ofKind = kind === null ? sql`` : sql`and kind = ${kind}`;
  return sql`
    (
      select coalesce(sum(created - deleted), 0)::bigint from (
        select created, deleted from item_totals where public ${ofKind}
        union all
        select created, deleted from item_deltas where public ${ofKind}
      ) as kept
    ) - (
      select count(*) from items where search is not null and expires_at <= ${now} ${ofKind}
    ) - (
      select count(*) from items
      where hidden and namespace = 'public' and search is not null and expires_at > ${now} ${ofKind}
    )`;
};
