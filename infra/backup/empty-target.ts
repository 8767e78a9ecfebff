import type { Database, Query } from '../../shared/items/sql.ts';
import { listTables, quoted, schemaOf } from './catalogue.ts';
import type { Manifest } from './manifest.ts';
import { ToolError } from './run-tool.ts';

/** How far passes have come: there before anything was published. */
const BOOKKEEPING = new Set(['watermarks']);

export const EMPTY_TARGET_ADVICE =
  'Restore into an empty instance: a new database, and a new bucket or DATA_DIR.';

/**
 * @throws ToolError when Perch works on the database, it is not empty, or its schema is not one that the backup fits or may
 * become
 */
export async function assertUsable(sql: Database, { schema }: Manifest, newest: number): Promise<void> {
  const [row] = await sql<Array<{ count: number }>>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'perch' and pid <> pg_backend_pid()`;
  if (row !== undefined && row.count > 0) {
    throw new ToolError(
      `Perch is connected to this database (${row.count} connections). Stop all of its processes first.`,
    );
  }
  if (schema > newest) {
    throw new ToolError(
      `The backup has schema ${schema}, and this release knows ${newest}. Restore it with the release that made it.`,
    );
  }
  await assertEmpty(sql);
  const current = await schemaOf(sql);
  if (current <= schema) return;
  throw new ToolError(
    `The backup has schema ${schema}, and this database already has ${current}. Restore it into a new database, which then gets the newer one.`,
  );
}

/** @throws ToolError that names what is there */
export async function assertEmpty(sql: Query): Promise<void> {
  const full: string[] = [];
  for (const { name } of await listTables(sql, true)) {
    if (BOOKKEEPING.has(name)) continue;
    const rows = await (sql as Database).unsafe(`select from ${quoted(name)} limit 1`);
    if (rows.length > 0) full.push(name);
  }
  if (full.length > 0) {
    throw new ToolError(
      `This Perch is not empty: there are rows in ${full.join(', ')}. ${EMPTY_TARGET_ADVICE}`,
    );
  }
}
