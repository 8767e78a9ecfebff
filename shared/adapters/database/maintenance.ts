import type { Database } from '../../items/sql.ts';
import type { Logger } from '../../logger.ts';
import { openDatabase } from './postgres.ts';

/** Longest that a statement may run, in ms: an hour. */
const STATEMENT_TIMEOUT_MS = 3_600_000;

/** Opens one connection for statements that take long. */
export const openForMaintenance = (url: string, log: Logger): Database =>
  openDatabase(url, {
    log,
    maxConnections: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    applicationName: 'perch maintenance',
  });
