import type { Query } from './sql.ts';

/** Names the start of the database server, as text that no other start has. */
export async function readDatabaseStart(sql: Query): Promise<string> {
  const [row] = await sql<Array<{ start: string }>>`
    select extract(epoch from pg_postmaster_start_time())::text as start`;
  if (row === undefined) throw new Error('the database does not say when it was started');
  return row.start;
}

/**
 * Makes the versions of changes go on above all that were ever given out: the database has gone back. It does so by
 * itself after each start of the server; this is for one that went back without, such as a dump loaded into it.
 */
export async function liftVersions(sql: Query): Promise<void> {
  await sql`select lift_item_version()`;
}
