import { PerchError } from '../../errors.ts';
import type { Migration } from './migration-files.ts';

/** SQLSTATE 55P03: a lock was not free within `lock_timeout` (PostgreSQL, Appendix A). */
const LOCK_NOT_AVAILABLE = '55P03';
/** SQLSTATE 40P01: one of several that waited for each other in a circle had to go. */
const DEADLOCK = '40P01';

/** Whether other sessions were in the way, so that the same may work a moment later. Looks through `cause`. */
export function isInTheWay(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; depth += 1) {
    if ('code' in current && (current.code === LOCK_NOT_AVAILABLE || current.code === DEADLOCK)) return true;
    current = current.cause;
  }
  return false;
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
  return new Error(`Migration ${running.file} ${outcome}: ${firstOf(error).message}.${state}`, {
    cause: error,
  });
}

/** Finds the database's own error: "not available" alone would tell an operator nothing. */
function firstOf(error: Error): Error {
  return error instanceof PerchError && error.cause instanceof Error ? error.cause : error;
}

export function lockHeld(limitMs: number): Error {
  return new Error(
    `Another process has been migrating this database for over ${limitMs} ms. Look at it, then start again.`,
  );
}
