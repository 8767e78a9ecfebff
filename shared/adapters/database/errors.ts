import { errorCode } from '../../error-code.ts';

/** The database did not answer in time, or too much already waits for it. The outcome of the work is unknown. */
export class DatabaseLateError extends Error {
  readonly code: 'DATABASE_DEADLINE' | 'DATABASE_BUSY';

  constructor(code: 'DATABASE_DEADLINE' | 'DATABASE_BUSY', message: string) {
    super(message);
    this.name = 'DatabaseLateError';
    this.code = code;
  }
}

/** Whether a statement was not even sent, because too many wait for an answer. */
export const isRefused = (error: unknown): boolean =>
  error instanceof DatabaseLateError && error.code === 'DATABASE_BUSY';

/** Codes after which a connection is gone: the client's own, and those of its socket. */
const CONNECTION_CODES = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ENOENT',
  'EAI_AGAIN',
]);

/**
 * SQLSTATE classes and codes of a server that cannot work now: 08 connection exception, 53 insufficient resources,
 * 57P0x shutdown, crash and start-up, 57014 statement timeout, 25P03 idle-in-transaction timeout, 40001 and 40P01
 * transactions rolled back because of one another, 25006 a server that takes no changes (a standby, or
 * `default_transaction_read_only`), 58 errors of its system, 42501 files that it may not write, as on a disk that has
 * become read-only (PostgreSQL, Appendix A; `errcode_for_file_access` in its elog.c).
 */
const UNAVAILABLE_STATES = /^(?:08...|53...|57P0.|57014|25P03|40001|40P01|25006|58...|42501)$/;

/** SQLSTATE of a disk without room (PostgreSQL, Appendix A). */
const DISK_FULL = '53100';

/** Whether a failure means "not now" (answer 503) and not "this statement is wrong". Looks through `cause`. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return someCause(
    error,
    (cause, code) =>
      cause instanceof DatabaseLateError || CONNECTION_CODES.has(code) || UNAVAILABLE_STATES.test(code),
  );
}

/**
 * How a server that stops or starts ends a connection: with SQLSTATE 57P01 (stops), 57P02 (has crashed) or 57P03 (is
 * starting; PostgreSQL, Appendix A), or without a word.
 */
const RESTART_CODES = /^(?:57P0[123]|ECONNRESET|EPIPE|CONNECTION_CLOSED)$/;

/** Whether a connection ended as it does when the server restarts. Looks through `cause`. */
export function isRestart(error: unknown): boolean {
  return someCause(error, (_, code) => RESTART_CODES.test(code));
}

/**
 * The code of a closed client: waiting does not help. `CONNECTION_DESTROYED`, which comes as it is being closed, is also what
 * a standby gets that was asked in place of the primary.
 */
const CLOSED_CODE = 'CONNECTION_ENDED';

/** Whether there was no connection, and may be one soon. Looks through `cause`. */
export function isAway(error: unknown): boolean {
  return someCause(
    error,
    (_, code) => (CONNECTION_CODES.has(code) && code !== CLOSED_CODE) || RESTART_CODES.test(code),
  );
}

/** Whether a statement was refused, and has done nothing, as the server takes no changes: a standby, or made read-only. */
export const takesNoChanges = (error: unknown): boolean => someCause(error, (_, code) => code === '25006');

/** Whether the server has no room on its disk. Where none is left for its log (WAL) it ends instead. */
export function isDatabaseFull(error: unknown): boolean {
  return someCause(error, (_, code) => code === DISK_FULL);
}

/** Whether an error, or one that it was caused by, passes a test of it and its code. */
export function someCause(error: unknown, test: (cause: Error, code: string) => boolean): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; depth += 1) {
    if (test(current, errorCode(current) ?? '')) return true;
    current = current.cause;
  }
  return false;
}

/** Whether the connection the failed statement ran on no longer exists. */
export function isConnectionLost(error: unknown): boolean {
  const code = errorCode(error);
  return code !== undefined && (CONNECTION_CODES.has(code) || /^(?:08...|57P0.|25P03)$/.test(code));
}
