import pino from 'pino';
import { type RequestBatch, toRuns } from '../../services/analytics/alike-requests.ts';
import type { AccessLogDependencies } from '../../services/analytics/dependencies.ts';
import { countAccess } from '../../services/analytics/entry-count.ts';
import { describeAccess, listAccess } from '../../services/analytics/operations/access-log.ts';
import { writeAccessBatches } from '../../services/analytics/operations/write-access-batches.ts';
import { listEntries } from '../../services/analytics/repository/entries.ts';
import { KEPT_ADDRESSES, KEPT_VALUES } from '../../services/analytics/repository/rankings.ts';
import { readSnapshot } from '../../services/analytics/repository/snapshot.ts';
import {
  countLatencies,
  requestsByStatus,
  topValues,
} from '../../services/analytics/repository/statistics.ts';
import { updateIndexes } from '../../services/analytics/sweep/access-log-passes.ts';
import { createRankingTrim } from '../../services/analytics/sweep/trim-rankings.ts';
import { openForMaintenance } from '../../shared/adapters/database/maintenance.ts';
import { migrate } from '../../shared/adapters/database/migrate.ts';
import { openDatabase } from '../../shared/adapters/database/postgres.ts';
import { type AccessFilter, NO_FILTER } from '../../shared/contracts/access-log.ts';
import type { Query } from '../../shared/items/sql.ts';
import { STATEMENT_TIMEOUT_MS } from '../../shared/wiring/dependencies.ts';
import { MIGRATIONS } from '../../shared/wiring/migrations.ts';
import { startPostgres } from '../servers/postgres.ts';
import { believableBatches, EVENTS_PER_BATCH } from './access-events.ts';
import {
  atLeast,
  atMost,
  type Bench,
  count,
  type Findings,
  milliseconds,
  seconds,
  timed,
} from './measurement.ts';
import { explain, type QueryPlan } from './query-plan.ts';
import { median } from './statistics.ts';

const DAYS = 7;
const DAY_MS = 86_400_000;
/** Batches of 500 events in a transaction: the analytics service writes up to ten batches, of up to 5,000 alike events each. */
const BATCHES_PER_WRITE = 20;
const REPETITIONS = 15;

const filters = (now: number): Record<string, Partial<AccessFilter>> => ({
  'the newest': {},
  'by a busy IP': { clientIp: '10.0.0.0' },
  'by a rare IP': { clientIp: '10.2.18.150' },
  'by a busy item': { resource: { namespace: 'public', id: 'item-1' } },
  'by a rare item': { resource: { namespace: 'public', id: 'item-15001' } },
  'by class 4xx': { statusClass: 4 },
  'by class 5xx': { statusClass: 5 },
  'by status 410': { status: 410 },
  'by method DELETE': { method: 'DELETE' },
  'by a busy path prefix': { pathPrefix: '/team-12/item-1' },
  'by a rare path prefix': { pathPrefix: '/team-12/item-1501' },
  'by IP and 4xx': { clientIp: '10.0.0.0', statusClass: 4 },
  // No index answers it: over all days it would not end within a statement's time.
  'by a rare part of UA in a day': { userAgent: 'chrome/299', from: now - DAY_MS },
});

/** The access log with ten million entries of a week (--log-rows): how fast they are written and read, and by which indexes. */
export async function accessLog(bench: Bench): Promise<Findings> {
  const server = await startPostgres({ dir: bench.dir });
  bench.defer(() => server.stop());
  const log = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  await migrate(server.url, { directory: MIGRATIONS, log });
  const sql = openDatabase(server.url, { log, maxConnections: 4, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  bench.defer(() => sql.end({ timeout: 1 }));
  const now = Date.now();
  const openMaintenance = () => openForMaintenance(server.url, log);
  const deps: AccessLogDependencies = {
    sql,
    openMaintenance,
    log,
    clock: { now: () => now },
    logRetentionDays: 30,
  };

  // As the service does when it starts.
  await updateIndexes(deps);
  const rate = await load(deps, now, bench);
  // As the service does whenever a day is over.
  for (let day = DAYS - 1; day >= 0; day--) {
    const clock = { now: () => now - day * DAY_MS };
    const trim = createRankingTrim({ sql, clock });
    while ((await trim()).more);
  }
  // As autovacuum does by itself after a while.
  const maintenance = openMaintenance();
  await maintenance`vacuum analyze`;
  await maintenance.end({ timeout: 1 });

  const repeated = async (work: () => Promise<unknown>): Promise<number[]> => {
    const times: number[] = [];
    for (let n = 0; n < REPETITIONS; n++) times.push(await timed(work));
    return times;
  };
  const list = (filter: AccessFilter) =>
    listAccess(deps, { filter, after: null, offset: 0, limit: 100, counted: true });

  const table: string[][] = [['', 'median', 'worst', 'entries', 'indexes']];
  const medians = new Map<string, number>();
  const plans = new Map<string, QueryPlan>();
  const add = (what: string, times: number[], entries: string, plan: QueryPlan): void => {
    medians.set(what, median(times));
    plans.set(what, plan);
    table.push([
      what,
      milliseconds(median(times)),
      milliseconds(Math.max(...times)),
      entries,
      plan.indexes.join(' '),
    ]);
    bench.progress(`${what}: ${milliseconds(median(times))}`);
  };
  const planOf = (read: (tx: Query) => Promise<unknown>) => readSnapshot(sql, (tx) => explain(tx, read));
  for (const [what, fields] of Object.entries(filters(now))) {
    const filter = { ...NO_FILTER, ...fields };
    const { total } = await list(filter);
    const entries = `${count(total?.count ?? 0)}${total?.isLowerBound ? ' or more' : ''}`;
    const plan = await planOf(async (tx) => {
      await listEntries(tx, filter, { after: null, offset: 0, limit: 101 });
      await countAccess(tx, filter);
    });
    add(what, await repeated(() => list(filter)), entries, plan);
  }
  const to = now - (now % DAY_MS) + DAY_MS;
  const from = to - DAYS * DAY_MS;
  const days = Array.from({ length: DAYS }, (_, n) => new Date(from + n * DAY_MS).toISOString().slice(0, 10));
  const period = { from, to, days };
  const plan = await planOf(async (tx) => {
    await requestsByStatus(tx, period);
    await countLatencies(tx, period);
    await topValues(tx, 'client_ip', period, { limit: 20, perDay: KEPT_ADDRESSES });
    await topValues(tx, 'path', period, { limit: 20, perDay: KEPT_VALUES });
  });
  const { totalRequests } = await describeAccess(deps, { days: DAYS });
  add(
    'statistics of 7 days',
    await repeated(() => describeAccess(deps, { days: DAYS })),
    count(totalRequests),
    plan,
  );

  const [disk] = await sql<[{ rows: number; indexes: number }]>`
    select sum(pg_table_size(inhrelid))::bigint as rows, sum(pg_indexes_size(inhrelid))::bigint as indexes
    from pg_inherits where inhparent = 'access_log'::regclass`;
  const bytes = (all: number): string => `${Math.round(all / bench.sizes.logRows)} bytes`;

  const slowest = Math.max(
    ...[
      'by a busy IP',
      'by a rare IP',
      'by a busy item',
      'by a rare item',
      'by class 4xx',
      'by class 5xx',
    ].map((what) => medians.get(what) ?? Number.NaN),
  );
  return {
    table,
    notes: [
      `${count(bench.sizes.logRows)} entries of ${DAYS} days, written ${count(BATCHES_PER_WRITE * EVENTS_PER_BATCH)} to a transaction, roll-ups included: ${count(rate)} a second.`,
      `On disk an entry takes ${bytes(disk.rows)}, and its indexes ${bytes(disk.indexes)}.`,
      'A list is 100 entries and their total, as the operation behind GET /api/admin/access gives it. Each is asked for 15 times.',
      ...[...plans].map(([what, { lines }]) => `${what}:\n${lines.map((line) => `    ${line}`).join('\n')}`),
    ],
    verdicts: [
      atLeast('entries written a second', rate, 10_000, count),
      atMost('lists by IP, by item and by class of status, the slowest median', slowest, 300, milliseconds),
      atMost(
        'statistics of 7 days, median',
        medians.get('statistics of 7 days') ?? Number.NaN,
        300,
        milliseconds,
      ),
    ],
  };
}

/** Entries written a second. */
async function load(deps: AccessLogDependencies, now: number, bench: Bench): Promise<number> {
  const { logRows } = bench.sizes;
  let waiting: RequestBatch[] = [];
  let writingMs = 0;
  const write = async (): Promise<void> => {
    const began = performance.now();
    await writeAccessBatches(deps, waiting);
    writingMs += performance.now() - began;
    waiting = [];
  };
  for (const batch of believableBatches(logRows, now - (DAYS - 1) * DAY_MS, now)) {
    waiting.push({ id: batch.id, runs: toRuns(batch.events) });
    if (waiting.length === BATCHES_PER_WRITE) await write();
  }
  await write();
  bench.progress(`loaded in ${seconds(writingMs)}`);
  return logRows / (writingMs / 1000);
}
