import { LRUCache } from 'lru-cache';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type * as contract from '../../../shared/contracts/stats.ts';
import { HISTORY_RANGES, type HistoryRange } from '../../../shared/contracts/stats.ts';
import { KINDS } from '../../../shared/items/item.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import { readSnapshot } from '../repository/snapshot.ts';
import { changesBySpan, storedByKind, sumTotals } from '../repository/totals.ts';
import { DAY_MS, HOUR_MS } from '../utc-days.ts';

/** Statistics are computed at most this often, in ms; callers in between share the last result. */
const FRESH_MS = 1_000;
/** Days begin at some forty different moments around the world. */
const MAX_DAYS = 100;

type Stats = ReplyOf<typeof contract.readStats>;

/** Reads the totals of the service, once a second and day at most, however many ask. */
export function createStatsReader({
  sql,
  clock,
}: Pick<AnalyticsDependencies, 'sql' | 'clock'>): (
  input: InputOf<typeof contract.readStats>,
) => Promise<Stats> {
  const recent = new LRUCache<number, Stats>({
    max: MAX_DAYS,
    ttl: FRESH_MS,
    fetchMethod: async (todayFrom) => {
      const at = clock.now();
      return { totals: await sumTotals(sql, todayFrom), at };
    },
  });
  return ({ todayFrom }) => recent.forceFetch(todayFrom);
}

/** Lengths and numbers of the spans; in UTC one begins at midnight. */
const SPANS: Record<HistoryRange, { spanMs: number; count: number }> = {
  '24h': { spanMs: HOUR_MS, count: 24 },
  '7d': { spanMs: 6 * HOUR_MS, count: 28 },
  '30d': { spanMs: DAY_MS, count: 30 },
};

type History = ReplyOf<typeof contract.readHistory>;

/** Reads what the service has done over time, once a second and range at most, however many ask. */
export function createHistoryReader({
  sql,
  clock,
}: Pick<AnalyticsDependencies, 'sql' | 'clock'>): (
  input: InputOf<typeof contract.readHistory>,
) => Promise<History> {
  const recent = new LRUCache<HistoryRange, History>({
    max: HISTORY_RANGES.length,
    ttl: FRESH_MS,
    fetchMethod: (range) => historyOf(sql, SPANS[range], clock.now()),
  });
  return ({ range }) => recent.forceFetch(range);
}

async function historyOf(
  sql: AnalyticsDependencies['sql'],
  { spanMs, count }: { spanMs: number; count: number },
  now: number,
): Promise<History> {
  const from = now - (now % spanMs) - (count - 1) * spanMs;
  const { changes, stored } = await readSnapshot(sql, async (tx) => ({
    changes: await changesBySpan(tx, { from, spanMs, count }),
    stored: await storedByKind(tx),
  }));
  const spans = Array.from({ length: count }, (_, n) => ({
    at: from + n * spanMs,
    kinds: KINDS.map((kind) => ({ kind, created: 0, deleted: 0, views: 0, bytes: 0 })),
  }));
  for (const [place, kind] of KINDS.entries()) {
    const bySpan = new Map(changes.filter((row) => row.kind === kind).map((row) => [row.span, row]));
    // From now back: what was stored at the end of a span lacks what came after it.
    let bytes = stored.find((row) => row.kind === kind)?.bytes ?? 0;
    for (const [span, { kinds }] of [...spans.entries()].toReversed()) {
      const { created = 0, deleted = 0, views = 0, bytes: grown = 0 } = bySpan.get(span) ?? {};
      kinds[place] = { kind, created, deleted, views, bytes };
      bytes -= grown;
    }
  }
  return { spanMs, spans, at: now };
}
