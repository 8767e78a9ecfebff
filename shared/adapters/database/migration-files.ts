import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../message-of.ts';
import { underlying } from '../../perch-error.ts';
import { someCause } from './errors.ts';

export interface Migration {
  version: number;
  file: string;
  /** Whether it and the row that records it are one transaction. */
  transactional: boolean;
}

const NAME = /^\d{3,}\.do\.[a-z0-9-]+\.sql$/;

/** The first line of a migration whose statements PostgreSQL takes only outside of transactions. */
export const OUTSIDE_MARK = '-- not in a transaction';

/**
 * The migrations of a folder by version.
 * @throws Error that names a file which cannot be meant
 */
export async function listMigrations(directory: string): Promise<Map<number, Migration>> {
  const found = new Map<number, Migration>();
  for (const file of (await readdir(directory)).filter((entry) => entry.endsWith('.sql')).sort()) {
    const version = Number.parseInt(file, 10);
    if (!NAME.test(file))
      throw new Error(`Migration ${file} must be named NNN.do.name.sql (forward only, lower case).`);
    const other = found.get(version);
    if (other !== undefined) throw new Error(`Migrations ${other.file} and ${file} have the same number.`);
    const transactional = !(await readFile(join(directory, file), 'utf8')).startsWith(OUTSIDE_MARK);
    found.set(version, { version, file, transactional });
  }
  if (found.size === 0) throw new Error(`There are no migrations in ${directory}.`);
  return found;
}

/** Statements of a migration outside of a transaction, to be sent one by one: each ends a line with a semicolon. */
export const statementsOf = (text: string): string[] =>
  text
    .split(/;[ \t]*\r?(?:\n|$)/)
    .map((statement) => statement.replace(/^\s*(?:--[^\n]*(?:\n|$)\s*)*/, '').trim())
    .filter((statement) => statement !== '');

/**
 * The schema whose processes already do without what a migration of this name takes away (`contract-since-MMM-…`);
 * `null` when it takes nothing away. `name` is what stands between `.do.` and `.sql`.
 */
export function contractSince(name: string): number | null {
  const found = /^contract-since-(\d{3,})-/.exec(name)?.[1];
  return found === undefined ? null : Number(found);
}

/** SQLSTATE 55P03: a lock was not free within `lock_timeout` (PostgreSQL, Appendix A). */
const LOCK_NOT_AVAILABLE = '55P03';
/** SQLSTATE 40P01: one of several that waited for each other in a circle had to go. */
const DEADLOCK = '40P01';

/** Whether other sessions were in the way, so that the same may work a moment later. Looks through `cause`. */
export function isInTheWay(error: unknown): boolean {
  return someCause(error, (_, code) => code === LOCK_NOT_AVAILABLE || code === DEADLOCK);
}

/** Explains a failed migration to the person who started the process. `running` is the migration under way. */
export function explainFailure(
  error: unknown,
  running: Migration | undefined,
  files: Map<number, Migration>,
): unknown {
  if (!(error instanceof Error)) return error;
  const changed = /^MD5 checksum failed for migration \[(\d+)\]$/.exec(error.message);
  if (changed !== null) {
    const name = files.get(Number(changed[1]))?.file ?? `${changed[1]}`;
    return new Error(
      `Migration ${name} was changed after it was applied to this database. Undo the change and put it in a new migration.`,
      { cause: error },
    );
  }
  if (running === undefined) return error;
  if (isInTheWay(error)) {
    return new Error(
      `Migration ${running.file} did not get the tables it changes: long transactions, such as a backup, hold them (pg_stat_activity lists them). The database is as it was before it. Start again when they have ended.`,
      { cause: error },
    );
  }
  const outcome = running.transactional
    ? 'failed and was rolled back'
    : 'failed; the next start does it again';
  const state = running.transactional ? ' The database is as it was before it.' : '';
  const first = underlying(error);
  const reason = messageOf(first);
  return new Error(`Migration ${running.file} ${outcome}: ${reason}.${state}`, {
    cause: error,
  });
}

export function lockHeld(limitMs: number): Error {
  return new Error(
    `Another process has been migrating this database for over ${limitMs} ms. Look at it, then start again.`,
  );
}
