import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import Postgrator from 'postgrator';
import type { Database } from '../items/sql.ts';
import type { Logger } from '../logger.ts';
import { openDatabase } from './database.ts';

export interface MigrateOptions {
  /** Folder of `NNN.do.name.sql` files. */
  directory: string;
  log: Logger;
  /** Longest wait for another process that migrates the same database, in ms. Default one minute. */
  lockTimeoutMs?: number;
}

/** A migration may rewrite a table. */
const STATEMENT_TIMEOUT_MS = 600_000;
/** The advisory lock's number: "perch" in ASCII. */
const LOCK = 0x70_65_72_63_68;
const NAME = /^\d{3,}\.do\.[a-z0-9-]+\.sql$/;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Brings the schema up to date, forward only; processes may do so at the same time. Each migration and the row that
 * records it are one transaction, which also holds the advisory lock: so the lock cannot outlive or be lost before
 * the work it protects. A schema newer than the files is left alone; whether older processes can work on
 * it, docs/operations.md says for each.
 *
 * @throws Error that names the migration, when one fails, was changed after it was applied, or was added below
 *   applied ones; or when the lock is not free in time
 */
export async function migrate(url: string, options: MigrateOptions): Promise<void> {
  const { directory, log, lockTimeoutMs = 60_000 } = options;
  const files = await listMigrations(directory);
  const sql = openDatabase(url, {
    log,
    maxConnections: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    plainColumns: true,
  });
  try {
    while (await applyNext(sql, directory, files, lockTimeoutMs, log)) {
      // One migration a turn, until none is left; other processes may take turns.
    }
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** File names by version. */
async function listMigrations(directory: string): Promise<Map<number, string>> {
  const files = new Map<number, string>();
  for (const name of (await readdir(directory)).filter((entry) => entry.endsWith('.sql')).sort()) {
    const version = Number.parseInt(name, 10);
    if (!NAME.test(name))
      throw new Error(`Migration ${name} must be named NNN.do.name.sql (forward only, lower case).`);
    const other = files.get(version);
    if (other !== undefined) throw new Error(`Migrations ${other} and ${name} have the same number.`);
    files.set(version, name);
  }
  if (files.size === 0) throw new Error(`There are no migrations in ${directory}.`);
  return files;
}

/** Whether one was applied. */
async function applyNext(
  sql: Database,
  directory: string,
  files: Map<number, string>,
  lockTimeoutMs: number,
  log: Logger,
): Promise<boolean> {
  let running: string | undefined;
  try {
    return await sql.begin(async (tx) => {
      await tx`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`;
      await tx`select pg_advisory_xact_lock(${LOCK})`;
      await tx`select set_config('lock_timeout', '0', true)`;
      const postgrator = new Postgrator({
        driver: 'pg',
        schemaTable: 'schema_migrations',
        migrationPattern: join(escapeGlob(directory), '*.do.*.sql'),
        // A checkout may change line ends; the migration stays the same.
        newline: 'LF',
        execQuery: async (query) => ({ rows: await tx.unsafe(query) }),
      });
      const current = await postgrator.getDatabaseVersion();
      const newest = Math.max(...files.keys());
      if (current > newest) {
        log.warn({ current, newest }, 'the schema is newer than this process; leaving it as it is');
        return false;
      }
      if (current > 0) await refuseLateComers(tx, current, files);
      const next = Math.min(...[...files.keys()].filter((version) => version > current));
      const target = Number.isFinite(next) ? next : current;
      running = files.get(target);
      // Also checks that what was applied is unchanged. Given a version, it goes there; never back, for it is not lower.
      await postgrator.migrate(String(target));
      if (target === current) return false;
      log.info({ migration: running }, 'migration applied');
      return true;
    });
  } catch (error) {
    throw explain(error, running, files, lockTimeoutMs);
  }
}

async function refuseLateComers(tx: Pick<Database, 'unsafe'>, current: number, files: Map<number, string>) {
  const rows = await tx.unsafe<{ version: number }[]>('select version from schema_migrations');
  const applied = new Set(rows.map((row) => row.version));
  for (const [version, name] of files) {
    if (version <= current && !applied.has(version)) {
      throw new Error(
        `Migration ${name} has a number below the applied ${current}. Give it the next free number.`,
      );
    }
  }
}

function explain(
  error: unknown,
  running: string | undefined,
  files: Map<number, string>,
  lockTimeoutMs: number,
): unknown {
  if (!(error instanceof Error)) return error;
  const changed = /^MD5 checksum failed for migration \[(\d+)\]$/.exec(error.message);
  if (changed !== null) {
    const name = files.get(Number(changed[1])) ?? `${changed[1]}`;
    return new Error(
      `Migration ${name} was changed after it was applied to this database. Undo the change and put it in a new migration.`,
      { cause: error },
    );
  }
  if ('code' in error && error.code === LOCK_NOT_AVAILABLE && running === undefined) {
    return new Error(
      `Another process has been migrating this database for over ${lockTimeoutMs} ms. Look at it, then start again.`,
      { cause: error },
    );
  }
  if (running === undefined) return error;
  return new Error(
    `Migration ${basename(running)} failed and was rolled back: ${error.message}. The database is as it was before it.`,
    { cause: error },
  );
}

function escapeGlob(path: string): string {
  return path.replace(/[?*()[\]{}!@+\\]/g, '\\$&');
}
