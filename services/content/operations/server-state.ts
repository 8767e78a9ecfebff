import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type * as contract from '../../../shared/contracts/server-state.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { listProcesses, removeProcess, saveProcess } from '../../../shared/processes/service-heartbeat.ts';
import type { ContentDependencies } from '../dependencies.ts';

/** Resolves when the database answers. */
export async function ping({ sql }: Pick<ContentDependencies, 'sql'>): Promise<Record<string, never>> {
  await sql`select 1`;
  return {};
}

type Dependencies = Pick<ContentDependencies, 'sql' | 'clock'>;

/** Notes what a gateway tells of itself: it has no database. */
export async function reportProcess(
  { sql, clock }: Dependencies,
  { process, leaves }: InputOf<typeof contract.reportProcess>,
): Promise<ReplyOf<typeof contract.reportProcess>> {
  await (leaves ? removeProcess(sql, process.processId) : saveProcess(sql, process, clock.now()));
  return {};
}

export const describeServer = ({
  sql,
  clock,
}: Dependencies): Promise<ReplyOf<typeof contract.describeServer>> => readServerState(sql, clock.now());

/** Reads how much is stored and how much work waits; the counts of blobs and items that wait stop at 1,000. */
async function readServerState(sql: Query, now: number): Promise<ReplyOf<typeof contract.describeServer>> {
  const [found] = await sql<Array<Omit<ReplyOf<typeof contract.describeServer>, 'processes'>>>`
    select pg_database_size(current_database())::bigint as database_bytes,
      (select max(version)::int from schema_migrations) as schema,
      (select count(*)::int from (select from blob_trash where used limit 1000) as waiting) as blobs_waiting,
      (select count(*)::int from (select from blob_trash where delete_after <= ${now} limit 1000) as due) as blobs_due,
      (select count(*)::int from (select from items where expires_at <= ${now} limit 1000) as due) as items_due,
      (select count(*)::int from owner_takedowns) as takedowns,
      (select count(*)::int from reports where status = 'new') as new_reports,
      (select count(*)::int from admin_sessions where expires_at > ${now}) as sessions`;
  if (found === undefined) throw new Error('a query without a row');
  return { ...found, processes: await listProcesses(sql) };
}
