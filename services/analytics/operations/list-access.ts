import type {
  AccessEntry,
  AccessFilter,
  listAccess as listAccessOperation,
} from '../../../shared/contracts/access-log.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { countEntries, listEntries } from '../repository/entries.ts';
import { countRolledUp } from '../repository/roll-ups.ts';
import { readSnapshot } from '../repository/snapshot.ts';
import { HOUR_MS, hourOf } from '../utc-days.ts';

/** Entries are counted one by one up to this many. */
export const COUNT_BOUND = 100_000;

type Total = { count: number; isLowerBound: boolean };

/** Entries of the log that pass a filter, newest first, and how many there are in all. */
export async function listAccess(
  { sql }: AccessLogDependencies,
  { filter, after, offset, limit, counted }: InputOf<typeof listAccessOperation>,
): Promise<ReplyOf<typeof listAccessOperation>> {
  return await readSnapshot(sql, async (tx) => {
    const found = await listEntries(tx, filter, { after, offset, limit: limit + 1 });
    const items = found.slice(0, limit);
    const more = found.length > limit;
    const isWhole = !more && after === null && offset === 0;
    if (!counted) return { items, more, total: null };
    return {
      items,
      more,
      total: isWhole ? { count: requestsOf(items), isLowerBound: false } : await count(tx, filter),
    };
  });
}

async function count(sql: Query, filter: AccessFilter): Promise<Total> {
  const { clientIp, pathPrefix, resource, userAgent } = filter;
  const isRolledUp = [clientIp, pathPrefix, resource, userAgent].every((field) => field === null);
  return isRolledUp ? await countByHours(sql, filter) : await countOneByOne(sql, filter);
}

async function countOneByOne(sql: Query, filter: AccessFilter): Promise<Total> {
  const { entries, requests } = await countEntries(sql, filter, COUNT_BOUND + 1);
  const isLowerBound = entries > COUNT_BOUND;
  // One entry more than is counted was read, to know that there is one.
  return {
    count: isLowerBound ? Math.max(COUNT_BOUND, requests - entries + COUNT_BOUND) : requests,
    isLowerBound,
  };
}

const requestsOf = (items: AccessEntry[]): number => items.reduce((sum, { requests }) => sum + requests, 0);

/** Whole hours by the roll-ups, and what lies before and behind them one by one. */
async function countByHours(sql: Query, filter: AccessFilter): Promise<Total> {
  const from = filter.from === null ? null : hourOf(filter.from + HOUR_MS - 1);
  const to = filter.to === null ? null : hourOf(filter.to);
  if (from !== null && to !== null && from >= to) return await countOneByOne(sql, filter);
  const parts: Total[] = [
    { count: await countRolledUp(sql, { ...filter, from, to }), isLowerBound: false },
    ...(from === filter.from ? [] : [await countOneByOne(sql, { ...filter, to: from })]),
    ...(to === filter.to ? [] : [await countOneByOne(sql, { ...filter, from: to })]),
  ];
  return {
    count: parts.reduce((sum, part) => sum + part.count, 0),
    isLowerBound: parts.some((part) => part.isLowerBound),
  };
}
