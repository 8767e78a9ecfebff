import type { Database } from '../../shared/items/sql.ts';

/** Makes a function for triggers, `lose`, which ends the connection of the statement or commit that calls it. */
export async function createLose(sql: Database): Promise<void> {
  const body = '$$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$';
  await sql`create function lose() returns trigger language plpgsql as ${sql.unsafe(body)}`;
}
