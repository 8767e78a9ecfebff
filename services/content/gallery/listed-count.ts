import type { Query } from '../../../shared/items/sql.ts';
import { type GalleryFilter, ofKind } from './sql.ts';

type CountedBy = Pick<GalleryFilter, 'kind' | 'tag'>;

/**
 * How many listed items a filter lets through: exactly, as the statement's snapshot has them. Computed from the totals that
 * triggers keep with every change (decision 15), less the few items that are there and not listed, as they have expired and
 * wait for the sweep, or are hidden: it takes as long with a million items as with ten.
 */
export async function countListedItems(sql: Query, { kind, tag }: CountedBy, now: number): Promise<number> {
  // `is true` can use no index: the one of tags would find all items of the tag.
  const isCounted = sql`
    search is not null ${ofKind(sql, kind)} ${tag === null ? sql`` : sql`and (tags @> array[${tag}]::text[]) is true`}`;
  const [counted] = await sql<Array<{ total: number }>>`
    select (${tag === null ? keptTotal(sql, kind) : keptTotalOfTag(sql, kind, tag)}) - (
      select count(*) from items where expires_at <= ${now} and ${isCounted}
    ) - (
      select count(*) from items where hidden and namespace = 'public' and expires_at > ${now} and ${isCounted}
    ) as total`;
  return counted?.total ?? 0;
}

const keptTotal = (sql: Query, kind: CountedBy['kind']) => sql`
  select coalesce(sum(created - deleted), 0)::bigint from (
    select created, deleted from item_totals where public ${ofKind(sql, kind)}
    union all
    select created, deleted from item_deltas where public ${ofKind(sql, kind)}
  ) as kept`;

const keptTotalOfTag = (sql: Query, kind: CountedBy['kind'], tag: string) => sql`
  select coalesce(sum(listed), 0)::bigint from (
    select listed from tag_totals where tag = ${tag} ${ofKind(sql, kind)}
    union all
    select listed from tag_deltas where tag = ${tag} ${ofKind(sql, kind)}
  ) as kept`;
