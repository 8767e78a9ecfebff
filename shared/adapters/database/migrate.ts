import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Postgrator from 'postgrator';
import { backoffMs } from '../../backoff.ts';
import type { Database } from '../../items/sql.ts';
import type { Logger } from '../../logger.ts';
import {
  contractSince,
  explainFailure,
  isInTheWay,
  listMigrations,
  lockHeld,
  type Migration,
  statementsOf,
} from './migration-files.ts';
import { openDatabase } from './postgres.ts';

interface MigrateOptions {
  /** Folder of `NNN.do.name.sql` files. */
  directory: string;
  log: Logger;
  /** Longest wait for another process that migrates the same database, in ms. Default one minute. */
  lockTimeoutMs?: number;
  /** How long a migration is tried again while others hold the tables it changes, in ms. Default five minutes. */
  tablesTimeoutMs?: number;
  /** Stops behind this version. Default: applies all. */
  upTo?: number;
}

/** A migration may rewrite a table. */
const STATEMENT_TIMEOUT_MS = 600_000;
/**
 * Longest time for a migration outside of a transaction, in ms: it blocks nobody, and an index of a large table takes
 * long.
 */
const OUTSIDE_TIMEOUT_MS = 6 * 3_600_000;
/**
 * A migration that waits for a table lock blocks all statements behind it. The migration therefore gives up after this
 * time, in ms, lets them pass, and tries again.
 */
const TABLE_LOCK_MS = 2_000;
const BACKOFF = { firstMs: 200, lastMs: 5_000 };
const POLL_MS = 50;
/** The advisory lock's number: "perch" in ASCII. */
const LOCK = 0x70_65_72_63_68;
/** Another, so that processes which have nothing to apply can start while an index is made for hours. */
const OUTSIDE_LOCK = LOCK + 1;

interface Run {
  url: string;
  sql: Database;
  options: MigrateOptions;
  files: Map<number, Migration>;
  /** Whether the migrations that are applied have been compared with their files. */
  isCompared: boolean;
}

/** Another process has the lock; nothing is left to do; a migration was applied, or is next and runs elsewhere. */
type Step = 'busy' | 'done' | 'applied' | { outside: Migration };

/**
 * Brings the schema up to date, forward only; processes may do so at the same time. Each migration and the row that
 * records it are one transaction, which also holds the advisory lock: so the lock cannot outlive or be lost before
 * the work it protects. A migration that is marked as not transactional runs under the session's lock; cut off, it is
 * done again from its first statement. A schema newer than the files is left alone, unless a migration has taken away
 * what this release uses (docs/upgrades.md).
 *
 * @throws Error that names the migration, when one fails, was changed after it was applied, or was added below
 *   applied ones; when the lock or the tables are not free in time; or when this release is too old for the schema
 */
export async function migrate(url: string, options: MigrateOptions): Promise<void> {
  const { directory, log, lockTimeoutMs = 60_000 } = options;
  const files = await listMigrations(directory);
  const sql = openForMigration(url, log, STATEMENT_TIMEOUT_MS);
  const run: Run = { url, sql, options, files, isCompared: false };
  try {
    let busySince: number | null = null;
    for (;;) {
      const step = await applyNext(run);
      if (step === 'done') return;
      busySince = step === 'busy' ? (busySince ?? Date.now()) : null;
      if (busySince === null) continue;
      if (Date.now() - busySince > lockTimeoutMs) throw lockHeld(lockTimeoutMs);
      await sleep(POLL_MS);
    }
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const openForMigration = (url: string, log: Logger, statementTimeoutMs: number): Database =>
  openDatabase(url, { log, maxConnections: 1, statementTimeoutMs, plainColumns: true });

/** Tries one migration until it gets its tables, or its time is over. */
async function applyNext(run: Run): Promise<Exclude<Step, object>> {
  const { log, tablesTimeoutMs = 300_000 } = run.options;
  const giveUpAt = Date.now() + tablesTimeoutMs;
  for (let failures = 1; ; failures++) {
    const pauseMs = backoffMs(failures, BACKOFF);
    const tried: { migration?: Migration } = {};
    try {
      const step = await applyInside(run, tried);
      if (step !== 'busy') run.isCompared = true;
      return typeof step === 'string' ? step : await applyOutside(run, step.outside);
    } catch (error) {
      const migration = tried.migration;
      if (migration === undefined || !isInTheWay(error) || Date.now() + pauseMs > giveUpAt) {
        throw explainFailure(error, migration, run.files);
      }
      log.info({ migration: migration.file }, 'a migration waits for tables that are in use; trying again');
      await sleep(pauseMs);
    }
  }
}

async function applyInside(run: Run, tried: { migration?: Migration }): Promise<Step> {
  const { options, files } = run;
  return await run.sql.begin(async (tx): Promise<Step> => {
    // Not one that waits: a waiting statement's snapshot would keep `create index concurrently` waiting, in a circle.
    const [lock] = await tx<{ free: boolean }[]>`select pg_try_advisory_xact_lock(${LOCK}) as free`;
    if (lock?.free !== true) return 'busy';
    const applied = await appliedVersions(tx);
    const current = Math.max(0, ...applied);
    const newest = Math.max(...files.keys());
    if (current > newest) {
      await refuseIfTooOld(tx, newest);
      options.log.warn({ current, newest }, 'the schema is newer than this process; leaving it as it is');
      return 'done';
    }
    if (current > 0) refuseLateComers(current, applied, files);
    const wanted = [...files.keys()].filter((version) => version <= (options.upTo ?? newest));
    const next = files.get(Math.min(...wanted.filter((version) => version > current)));
    if (next !== undefined) tried.migration = next;
    // Makes the table of versions where there is none; with the version that the schema has it applies nothing.
    if (!run.isCompared) await postgrator(tx, options.directory, '*.do.*.sql').migrate(String(current));
    if (next === undefined) return 'done';
    if (!next.transactional) return { outside: next };
    await tx`select set_config('lock_timeout', ${`${TABLE_LOCK_MS}ms`}, true)`;
    await apply(postgrator(tx, options.directory, next.file));
    options.log.info({ migration: next.file }, 'migration applied');
    return 'applied';
  });
}

/** Under the lock of a session of its own. Its statements can be repeated: what was cut off is done again. */
async function applyOutside(
  { url, options }: Run,
  { version, file }: Migration,
): Promise<'busy' | 'applied'> {
  const sql = openForMigration(url, options.log, OUTSIDE_TIMEOUT_MS);
  try {
    const [lock] = await sql<{ free: boolean }[]>`select pg_try_advisory_lock(${OUTSIDE_LOCK}) as free`;
    if (lock?.free !== true) return 'busy';
    const tool = postgrator(sql, options.directory, file, async (script) => {
      for (const statement of statementsOf(script)) await sql.unsafe(statement);
    });
    // Another process may have done it meanwhile.
    if (!(await appliedVersions(sql)).has(version)) {
      options.log.info({ migration: file }, 'a migration runs beside the traffic; it may take long');
      await apply(tool);
      options.log.info({ migration: file }, 'migration applied');
    }
    return 'applied';
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** @param files name of a file, or a pattern of several */
function postgrator(
  sql: Pick<Database, 'unsafe'>,
  directory: string,
  files: string,
  execSqlScript?: (script: string) => Promise<void>,
) {
  return new Postgrator({
    driver: 'pg',
    schemaTable: 'schema_migrations',
    migrationPattern: join(escapeGlob(directory), files),
    // A checkout may change line ends; the migration stays the same.
    newline: 'LF',
    execQuery: async (query) => ({ rows: await sql.unsafe(query) }),
    ...(execSqlScript === undefined ? {} : { execSqlScript }),
  });
}

/** Applies the migrations that a tool reads. Its `migrate` would first compare all that are applied, with a query for each. */
const apply = async (tool: Postgrator) => tool.runMigrations(await tool.getMigrations());

/** Versions of the migrations that a database has; none where it has no table of them. */
async function appliedVersions(sql: Pick<Database, 'unsafe'>): Promise<Set<number>> {
  const [table] = await sql.unsafe<{ there: boolean }[]>(
    "select to_regclass('schema_migrations') is not null as there",
  );
  if (table?.there !== true) return new Set();
  const rows = await sql.unsafe<{ version: number }[]>('select version from schema_migrations');
  return new Set(rows.map(({ version }) => version));
}

function refuseLateComers(current: number, applied: Set<number>, files: Map<number, Migration>): void {
  for (const { version, file } of files.values()) {
    if (version <= current && !applied.has(version)) {
      throw new Error(
        `Migration ${file} has a number below the applied ${current}. Give it the next free number.`,
      );
    }
  }
}

/** An older release may work on a newer schema as long as nothing it uses was taken away. */
async function refuseIfTooOld(tx: Pick<Database, 'unsafe'>, newest: number): Promise<void> {
  const rows = await tx.unsafe<{ version: number; name: string | null }[]>(
    'select version, name from schema_migrations order by version',
  );
  for (const { version, name } of rows) {
    const since = contractSince(name ?? '');
    if (version <= newest || since === null || since <= newest) continue;
    throw new Error(
      `This release knows schema ${newest}, and migration ${version} (${name}) of this database took away what it uses. Start a release that knows schema ${since} or a later one, or restore a backup of before that migration into an empty instance.`,
    );
  }
}

function escapeGlob(path: string): string {
  return path.replace(/[?*()[\]{}!@+\\]/g, '\\$&');
}
