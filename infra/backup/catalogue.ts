import type { Query } from '../../shared/items/sql.ts';
import { ToolError } from './run-tool.ts';

export interface Table {
  name: string;
  /** The columns that are written, without the generated ones. */
  columns: string[];
}

/** Tables about this database itself, its processes and who is signed in, not about the published items. */
const OWN = new Set([
  ...['schema_migrations', 'blob_trash', 'backup_runs', 'admin_sessions', 'processes', 'scan_runs'],
  // A copy of the service must not tell of reports that the first one has told of.
  'notifications',
]);

const isOfLog = (name: string): boolean => name.startsWith('access_');

/** The tables that a backup takes, those that others refer to first. */
export async function listTables(sql: Query, withLog: boolean): Promise<Table[]> {
  const tables = await sql<Array<Table & { refers: string[] }>>`
    select relname as name,
      array(
        select attname::text from pg_attribute
        where attrelid = tables.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum
      ) as columns,
      array(
        select others.relname::text from pg_constraint join pg_class others on others.oid = confrelid
        where conrelid = tables.oid and contype = 'f' and confrelid <> tables.oid
      ) as refers
    from pg_class tables
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`;
  const left = tables.filter(({ name }) => !OWN.has(name) && (withLog || !isOfLog(name)));
  const ordered: Table[] = [];
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name));
    const free = left.findIndex(({ refers }) => !refers.some((other) => waiting.has(other)));
    const [next] = left.splice(free, 1);
    if (free < 0 || next === undefined) throw new Error('tables refer to each other in a circle');
    ordered.push({ name: next.name, columns: next.columns });
  }
  return ordered;
}

/** @throws ToolError when this role may not read all: they would look as if they had not been used */
export async function assertSequencesReadable(sql: Query): Promise<void> {
  const [hidden] = await sql<Array<{ name: string }>>`
    select sequencename as name from pg_sequences
    where schemaname = current_schema()
      and not has_sequence_privilege(format('%I.%I', schemaname, sequencename), 'usage, select')
    order by sequencename limit 1`;
  if (hidden !== undefined) throw new ToolError(`This role may not read the sequence ${hidden.name}.`);
}

export async function listSequences(sql: Query): Promise<Array<{ name: string; value: number }>> {
  // Null: not used yet.
  return await sql<Array<{ name: string; value: number }>>`
    select sequencename as name, coalesce(last_value, 0) as value from pg_sequences
    where schemaname = current_schema() order by sequencename`;
}

/** The newest migration of this database; 0 when Perch has never used it. */
export async function schemaOf(sql: Query): Promise<number> {
  const [table] = await sql<Array<{ there: boolean }>>`
    select to_regclass('schema_migrations') is not null as there`;
  if (table?.there !== true) return 0;
  const [row] = await sql<Array<{ version: number }>>`select max(version) as version from schema_migrations`;
  return row?.version ?? 0;
}

/** A name that comes from the catalogue or a checked manifest, in SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
