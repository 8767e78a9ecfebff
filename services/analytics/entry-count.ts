import type { AccessFilter } from '../../shared/contracts/access-log.ts';
import type { Query } from '../../shared/items/sql.ts';
import { countEntries } from './repository/entries.ts';
import { countAddressByDay, countRolledUp } from './repository/roll-ups.ts';
import { DAY_MS, HOUR_MS } from './utc-days.ts';

/** Entries that an index finds are counted one by one up to this many: they lie apart, and each has to be read. */
export const COUNT_BOUND = 10_000;

/** Entries of a begun hour are counted up to this many: they lie side by side, in the order of time. */
export const HOUR_BOUND = 100_000;

/** How many requests there are, or at least so many. */
export interface EntryCount {
  count: number;
  isLowerBound: boolean;
}

/**
 * Counts the requests that pass a filter. Filters by method, status and time are answered from the roll-ups of hours, those by address
 * and time from the roll-ups of days; both are exact but for the hours and days that `from` and `to` cut in two.
 */
export async function countAccess(sql: Query, filter: AccessFilter): Promise<EntryCount> {
  const { clientIp, method, status, statusClass, pathPrefix, resource, userAgent } = filter;
  const isOpen = (...fields: unknown[]): boolean => fields.every((field) => field === null);
  if (!isOpen(pathPrefix, resource, userAgent)) return await countOneByOne(sql, filter, COUNT_BOUND);
  if (clientIp === null) {
    return await countByUnits(filter, HOUR_MS, {
      whole: async (hours) => exactly(await countRolledUp(sql, hours)),
      part: (cut) => countOneByOne(sql, cut, HOUR_BOUND),
    });
  }
  const part = (cut: AccessFilter) => countOneByOne(sql, cut, COUNT_BOUND);
  if (!isOpen(method, status, statusClass)) return await part(filter);
  return await countByUnits(filter, DAY_MS, {
    whole: (days) => countAddress(sql, { ...days, clientIp }),
    part,
  });
}

const exactly = (count: number): EntryCount => ({ count, isLowerBound: false });

const sumOf = (parts: readonly EntryCount[]): EntryCount => ({
  count: parts.reduce((sum, { count }) => sum + count, 0),
  isLowerBound: parts.some(({ isLowerBound }) => isLowerBound),
});

interface Counts {
  whole(filter: AccessFilter): Promise<EntryCount>;
  part(filter: AccessFilter): Promise<EntryCount>;
}

/** Counts whole hours or days in one way, and what lies before and behind them in another. */
async function countByUnits(
  filter: AccessFilter,
  unitMs: number,
  { whole, part }: Counts,
): Promise<EntryCount> {
  const startOf = (at: number): number => at - (at % unitMs);
  const from = filter.from === null ? null : startOf(filter.from + unitMs - 1);
  const to = filter.to === null ? null : startOf(filter.to);
  if (from !== null && to !== null && from >= to) return await part(filter);
  return sumOf([
    await whole({ ...filter, from, to }),
    ...(from === filter.from ? [] : [await part({ ...filter, to: from })]),
    ...(to === filter.to ? [] : [await part({ ...filter, from: to })]),
  ]);
}

/** Requests of an address on whole days. Where the roll-ups have forgotten it, it has few entries. */
async function countAddress(sql: Query, filter: AccessFilter & { clientIp: string }): Promise<EntryCount> {
  const counts: EntryCount[] = [];
  for (const { day, requests } of await countAddressByDay(sql, filter)) {
    counts.push(
      requests === null
        ? await countOneByOne(sql, { ...filter, from: day, to: day + DAY_MS }, COUNT_BOUND)
        : exactly(requests),
    );
  }
  return sumOf(counts);
}

async function countOneByOne(sql: Query, filter: AccessFilter, bound: number): Promise<EntryCount> {
  const { entries, requests } = await countEntries(sql, filter, bound + 1);
  const isLowerBound = entries > bound;
  // One entry more than is counted was read, to know that there is one.
  return { count: isLowerBound ? Math.max(bound, requests - entries + bound) : requests, isLowerBound };
}
