import type { describeItemViews as contract } from '../../../shared/contracts/item-views.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { OTHER_HOSTS, viewsByHost, viewsByHour } from '../repository/item-views.ts';
import { readSnapshot } from '../repository/snapshot.ts';
import { DAY_MS, dateOf, dayOf, HOUR_MS, hourOf, oldestKeptDay } from '../utc-days.ts';

/** Hosts of one answer. */
const TOP = 20;
const HOURS = 24;

/** How often an item was viewed by the hour and day, and where its readers came from. */
export async function describeItemViews(
  { sql, clock, logRetentionDays }: Pick<AccessLogDependencies, 'sql' | 'clock' | 'logRetentionDays'>,
  { code, createdAt, days: asked }: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const now = clock.now();
  const today = dayOf(now);
  const earliest = Math.max(dayOf(createdAt), oldestKeptDay(now, logRetentionDays));
  const first = Math.min(today, Math.max(today - (asked - 1) * DAY_MS, earliest));
  const days = datesBetween(first, today);
  const firstHour = hourOf(now) - (HOURS - 1) * HOUR_MS;
  return await readSnapshot(sql, async (tx) => {
    const rows = await viewsByHour(tx, code, [
      ...new Set([...datesBetween(dayOf(firstHour), today), ...days]),
    ]);
    const hosts = await viewsByHost(tx, code, days);
    const byHour = new Map(rows.map(({ day, hour, views }) => [Date.parse(day) + hour * HOUR_MS, views]));
    const byDay = days.map((date) => ({
      date,
      views: sum(rows.filter(({ day }) => day === date)),
    }));
    const named = hosts.filter(({ host }) => host !== OTHER_HOSTS);
    const referers = named.slice(0, TOP);
    const referred = sum(hosts);
    return {
      at: now,
      hours: Array.from({ length: HOURS }, (_, n) => {
        const at = firstHour + n * HOUR_MS;
        return { at, views: byHour.get(at) ?? 0 };
      }),
      days: byDay,
      referers,
      otherReferers: referred - sum(referers),
      withoutReferer: sum(byDay) - referred,
    };
  });
}

const datesBetween = (first: number, last: number): string[] =>
  Array.from({ length: (last - first) / DAY_MS + 1 }, (_, n) => dateOf(first + n * DAY_MS));

const sum = (counts: readonly { views: number }[]): number =>
  counts.reduce((total, { views }) => total + views, 0);
