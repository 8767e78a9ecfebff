import type { Query } from '../../../shared/items/sql.ts';
import type { Dimension } from '../roll-ups.ts';

/** Values counted by day, of which the most frequent are asked for. */
export type Ranking = Dimension | 'client_ip';

/** Values of each ranking and day that the statistics read and that are kept in the end: the most frequent. */
export const KEPT_VALUES = 1_000;
/** Addresses, likewise: many more, as the statistics also say how many different ones there were. */
export const KEPT_ADDRESSES = 10_000;

/** Where a ranking's values are counted: its table, the column with the value, and a condition on top of the day. */
export const rankingOf = (sql: Query, ranking: Ranking) =>
  ranking === 'client_ip'
    ? { table: sql`access_day_ips`, value: sql`client_ip`, within: sql`` }
    : { table: sql`access_day_values`, value: sql`value`, within: sql`and dimension = ${ranking}` };

/** The first place behind those of a day that are kept, the most frequent first, then by their bytes. */
export interface Cut {
  day: string;
  requests: number;
  value: string;
}

/** Finds, for days with more than `keep` values, the place where the others begin. */
export async function findCuts(
  sql: Query,
  ranking: Ranking,
  { days, keep }: { days: readonly string[]; keep: number },
): Promise<Cut[]> {
  const { table, value, within } = rankingOf(sql, ranking);
  return await sql<Cut[]>`
    select asked.day, cut.requests, cut.value
    from unnest(${[...days]}::text[]) as asked (day) cross join lateral (
      select requests, ${value} as value from ${table}
      where day = asked.day::date ${within} order by requests desc, ${value} collate "C" offset ${keep} limit 1
    ) as cut`;
}

/**
 * Removes some of the values behind a cut, the least frequent first. Returns how many. Waits for nobody: what another is
 * counting or removing stays, and what has got ahead of the cut meanwhile does, too.
 */
export async function trimBehind(sql: Query, ranking: Ranking, cut: Cut, limit: number): Promise<number> {
  const { table, value, within } = rankingOf(sql, ranking);
  const { count } = await sql`
    delete from ${table} where ctid = any(array(
      select ctid from ${table}
      where day = ${cut.day}::text::date ${within} and requests <= ${cut.requests}
        and (requests < ${cut.requests} or ${value} collate "C" >= ${cut.value})
      order by requests limit ${limit} for update skip locked
    ))`;
  return count;
}
