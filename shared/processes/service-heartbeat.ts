import type { ProcessReport } from '../contracts/server-state.ts';
import type { Query } from '../items/sql.ts';
import type { ServiceDependencies } from '../wiring/dependencies.ts';
import { type Heartbeat, startHeartbeat } from './heartbeat.ts';

/** The heartbeat of a process with a database. */
export function startServiceHeartbeat(
  { sql, clock, log }: Pick<ServiceDependencies, 'sql' | 'clock' | 'log'>,
  service: string,
): Heartbeat {
  return startHeartbeat({
    service,
    clock,
    log,
    send: (report) => saveProcess(sql, report, clock.now()),
    leave: ({ processId }) => removeProcess(sql, processId),
  });
}

/** Processes that were heard of last so long ago, in ms, are forgotten: they have died. */
const FORGOTTEN_MS = 3_600_000;

/** Notes that a process is there. */
export async function saveProcess(
  sql: Query,
  { processId, service, version, startedAt, memoryBytes }: ProcessReport,
  now: number,
): Promise<void> {
  await sql`
    insert into processes (process_id, service, version, started_at, seen_at, memory_bytes)
    values (${processId}, ${service}, ${version}, ${startedAt}, ${now}, ${memoryBytes})
    on conflict (process_id) do update set seen_at = excluded.seen_at, memory_bytes = excluded.memory_bytes`;
  await sql`delete from processes where seen_at < ${now - FORGOTTEN_MS}`;
}

export async function removeProcess(sql: Query, processId: string): Promise<void> {
  await sql`delete from processes where process_id = ${processId}`;
}

/** Every process that is known, by service. */
export async function listProcesses(sql: Query): Promise<Array<ProcessReport & { seenAt: number }>> {
  return await sql<Array<ProcessReport & { seenAt: number }>>`
    select process_id, service, version, started_at, seen_at, memory_bytes from processes
    order by service, started_at limit 500`;
}
