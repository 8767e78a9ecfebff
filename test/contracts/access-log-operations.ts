import pino from 'pino';
import { type RequestBatch, toRuns } from '../../services/analytics/alike-requests.ts';
import type { AccessLogDependencies } from '../../services/analytics/dependencies.ts';
import { writeAccessBatches } from '../../services/analytics/operations/write-access-batches.ts';
import { openForMaintenance } from '../../shared/adapters/database/maintenance.ts';
import type { AccessEntry, AccessEvent } from '../../shared/contracts/access-log.ts';
import { NOON } from '../access-events.ts';
import { useDatabase } from '../use-database.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const accessBatch = (events: AccessEvent[], id: string = crypto.randomUUID()): RequestBatch => ({
  id,
  runs: toRuns(events),
});

export interface AccessLog {
  deps: AccessLogDependencies;
  /** The clock of the operations: it stands still until a test moves it. */
  time: { now: number };
  /** Logged warnings. */
  warnings: Array<Record<string, unknown>>;
  write(...batches: RequestBatch[]): Promise<void>;
  /** All entries, oldest first. */
  entries(): Promise<AccessEntry[]>;
  /** Entries, batches, and requests that the roll-ups have counted. */
  counts(): Promise<
    Record<'entries' | 'batches' | 'days' | 'hours' | 'latencies' | 'ips' | 'values', number>
  >;
  /** Empties the log, and sets the clock back. */
  clear(): Promise<void>;
}

/**
 * The access log in a database of the test file's own, without bus and sweeper: called at the top of a file; what it
 * returns works from `beforeAll` on.
 */
export function useAccessLog(retentionDays = 30): AccessLog {
  const warnings: Array<Record<string, unknown>> = [];
  const log = pino(
    { level: 'warn' },
    { write: (line: string) => void warnings.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const time = { now: NOON };
  const database = useDatabase({ log, connections: 8 });
  const deps: AccessLog['deps'] = {
    clock: { now: () => time.now },
    log,
    logRetentionDays: retentionDays,
    get sql() {
      return database.sql;
    },
    openMaintenance: () => openForMaintenance(database.url, log),
  };
  return {
    deps,
    time,
    warnings,
    write: (...batches) => writeAccessBatches(deps, batches),
    async entries() {
      return [...(await deps.sql<AccessEntry[]>`select * from access_entries order by created_at, id`)];
    },
    async counts() {
      const [row] = await deps.sql<[Awaited<ReturnType<AccessLog['counts']>>]>`
        select (select count(*) from access_entries) as entries, (select count(*) from access_batches) as batches,
          (select coalesce(sum(requests), 0)::bigint from access_days) as days,
          (select coalesce(sum(requests), 0)::bigint from access_hours) as hours,
          (select coalesce(sum(requests), 0)::bigint from access_hour_latencies) as latencies,
          (select coalesce(sum(requests), 0)::bigint from access_day_ips) as ips,
          (select coalesce(sum(requests), 0)::bigint from access_day_values where dimension = 'path') as values`;
      return row;
    },
    async clear() {
      await deps.sql.begin(async (tx) => {
        const tables = [
          'access_log',
          'access_batches',
          'access_days',
          'access_hours',
          'access_hour_latencies',
        ];
        const ofItems = ['item_view_hours', 'item_view_referers', 'items', 'item_views_to_forget'];
        for (const table of [...tables, 'access_day_ips', 'access_day_values', ...ofItems])
          await tx`delete from ${tx(table)}`;
      });
      time.now = NOON;
      warnings.length = 0;
    },
  };
}
