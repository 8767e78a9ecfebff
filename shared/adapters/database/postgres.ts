import postgres, { type Sql } from 'postgres';
import { backoffMs } from '../../backoff.ts';
import { errors } from '../../errors.ts';
import type { Database } from '../../items/sql.ts';
import { createLoadShedding, type LoadShedding } from '../../load-shedding.ts';
import type { Logger } from '../../logger.ts';
import { PerchError } from '../../perch-error.ts';
import { parseServerList } from '../../server-list.ts';
import {
  DatabaseLateError,
  isDatabaseFull,
  isDatabaseUnavailable,
  isRefused,
  takesNoChanges,
} from './errors.ts';
import { guardStatements, guardTransactions, limitedSend, type SendPolicy, type Types } from './guard.ts';
import { createHostChoice } from './hosts.ts';
import { createResend } from './resend.ts';
import { createWatchedSockets } from './socket.ts';
import { createStandbyCheck } from './standby-check.ts';
import { tlsModeOf } from './tls.ts';
import { createTransactionSemaphore } from './transaction-semaphore.ts';

export interface DatabaseOptions {
  log: Logger;
  maxConnections: number;
  /** The server ends a statement after this many ms; the client gives up `CLIENT_GRACE_MS` later. */
  statementTimeoutMs: number;
  /** Column names as they are, not in camelCase: for tools that bring SQL of their own. */
  plainColumns?: boolean;
  /** Name that the server knows these connections by; `perch` unless given. */
  applicationName?: string;
  /** Where it is counted what was refused because too much waits already. */
  loadShedding?: LoadShedding;
  /** Called when a connection was lost: the server may have been started again. */
  onLost?: () => void;
}

/** Type numbers (PostgreSQL, pg_type.dat). */
const OID = { int8: 20, timestamptz: 1184 };
const CONNECT_TIMEOUT_SECONDS = 3;
/** Idle connections are closed after this: each costs the server about 5 MB. */
const IDLE_TIMEOUT_SECONDS = 60;
const RECONNECT = { firstMs: 20, lastMs: 500 };
/** The server's own limit speaks first when it still can; the client's is for a server that is frozen or cut off. */
const CLIENT_GRACE_MS = 1000;
const UNANSWERED_PER_CONNECTION = 64;
/** The others are left to single statements, of which each connection carries many at once. */
const TRANSACTIONS_PER_CONNECTION = 7 / 8;
/** More than a process has operations under way: a burst of quick ones is refused by its time, not by its number. */
const TRANSACTIONS_WAITING_PER_CONNECTION = 64;
/**
 * Where a server says that it gave up waiting for its synchronous standby, and then that the commit is done: it is on this
 * server alone, and may be lost with it (PostgreSQL, `syncrep.c`).
 */
const NOT_ON_STANDBY = 'SyncRepWaitForLSN';
/** Longest a transaction waits for the semaphore: waiting and running together must fit the caller's 8 to 15 s. */
const PERMIT_WAIT_MS = 5_000;

/**
 * The client of a PostgreSQL server, or of the primary among several that `url` names
 * (`postgres://user:password@a:5432,b:5432/perch`). int8 arrives as a number, timestamptz as milliseconds since the epoch, bytea as a
 * Buffer; numeric (also `sum` over int8) stays a string. Connects when first used, so a server that is
 * down shows as a failed statement (`UNAVAILABLE`), and reconnects by itself. Every awaited statement, BEGIN
 * and COMMIT settles within `connect timeout + statementTimeoutMs + 1 s`,
 * or twice that when it has to be sent again (`createResend`): what was not sent waits some seconds for a server that has
 * just gone. `reserve` is refused: in this client it can wait for ever.
 */
export function openDatabase(url: string, options: DatabaseOptions): Database {
  const { log, maxConnections, statementTimeoutMs } = options;
  const deadlineMs = CONNECT_TIMEOUT_SECONDS * 1000 + statementTimeoutMs + CLIENT_GRACE_MS;
  const maxUnanswered = maxConnections * UNANSWERED_PER_CONNECTION;
  const list = parseServerList(url);
  const hosts = createHostChoice(list?.servers ?? []);
  const sockets = createWatchedSockets({
    silenceMs: deadlineMs,
    hosts,
    onLost: options.onLost ?? (() => undefined),
    tls: list === null ? null : tlsModeOf(list.query),
    tlsLimitMs: CONNECT_TIMEOUT_SECONDS * 1_000,
  });
  const first = hosts.choose();
  const untyped: object = {
    socket: sockets.open,
    // One host, the choice being ours: of several the client tries one after the other without a pause, and tells of no failure.
    ...(first === null ? {} : { host: [first.host], port: [first.port] }),
    // A BEGIN that is a connection's last is sent, but the connection not kept for its transaction (postgres 3.4.9, its
    // issues 823 and 1189): so no connection ever carries as many.
    max_pipeline: 2 * maxUnanswered,
  };
  const isChosen = hosts.count > 1 || list?.query.has('target_session_attrs') === true;
  const typed = postgres(url, {
    // Options that the client's types do not know.
    ...untyped,
    // With `read-write` the client takes a standby for a primary (postgres 3.4.9, `tryNext`).
    ...(isChosen ? { target_session_attrs: 'primary' as const } : {}),
    // The sockets are encrypted when the client gets them.
    ssl: false,
    max: maxConnections,
    prepare: true,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    idle_timeout: IDLE_TIMEOUT_SECONDS,
    max_lifetime: null,
    // The default waits up to 20 s after a long outage.
    backoff: (retries: number) => backoffMs(retries + 1, RECONNECT) / 1_000,
    types: {
      bigint: {
        to: OID.int8,
        from: [OID.int8],
        parse: (text: string): number => Number(text),
        serialize: (value: number): string => String(value),
      },
      instant: {
        to: OID.timestamptz,
        from: [OID.timestamptz],
        parse: (text: string): number => Date.parse(text),
        serialize: (value: number): string => new Date(value).toISOString(),
      },
    },
    // Columns are snake_case, our fields camelCase.
    transform: options.plainColumns ? {} : { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    onnotice(notice) {
      log.debug({ notice }, 'notice from the database');
      if (notice.routine !== NOT_ON_STANDBY) return;
      // The client may be out of step with the server after what is thrown here.
      sockets.dropAll();
      // Thrown, it fails the statement to which it belongs.
      throw new DatabaseLateError('DATABASE_DEADLINE', 'The standby has not confirmed a commit.');
    },
    connection: {
      // Parsing and locking rely on these settings, so the server's defaults are overridden.
      TimeZone: 'UTC',
      DateStyle: 'ISO',
      default_transaction_isolation: 'read committed',
      application_name: options.applicationName ?? 'perch',
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: Math.max(statementTimeoutMs, 10_000),
      // To compile a statement takes longer than to run any of Perch's, but PostgreSQL would compile those that look dear. The
      // blanks: a startup packet over 1 KB is written at once. A shorter one is queued behind what a broken connection left
      // unsent, and postgres 3.4.9 never writes it: that connection then times out until restart.
      options: '-c jit=off'.padEnd(1024),
    },
  });
  // The repositories see these types under wider names.
  const client = typed as unknown as Sql<Types>;
  const loadShedding = options.loadShedding ?? createLoadShedding(log);
  const limited = limitedSend({
    deadlineMs,
    maxUnanswered,
    refused: () => void loadShedding.shed('statements'),
  });
  const withPermit = createTransactionSemaphore(
    {
      running: Math.ceil(maxConnections * TRANSACTIONS_PER_CONNECTION),
      waiting: maxConnections * TRANSACTIONS_WAITING_PER_CONNECTION,
      waitMs: PERMIT_WAIT_MS,
    },
    () => loadShedding.shed('transactions'),
  );
  const isStandby = createStandbyCheck({
    async ask() {
      const [row] = dropHoles(await limited(async () => await client`select pg_is_in_recovery() as standby`));
      return row?.standby === true;
    },
    // Its sessions would go on with it for as long as they last.
    onStandby() {
      log.warn('the database is a standby; its primary is looked for');
      sockets.dropAll();
    },
  });
  const send: typeof limited = async (start) => {
    const answer = await limited(start).catch((error: unknown) => {
      // Not waited for: a transaction would hold its connection meanwhile.
      if (hosts.count > 1 && takesNoChanges(error)) void isStandby();
      throw error;
    });
    // Array types are read on the first connection and kept for all. Read again on each new one, a server that dies
    // meanwhile ends the process: the client leaves that query's failure unhandled.
    client.options.fetch_types = false;
    return dropHoles(answer);
  };
  const resend = createResend(maxUnanswered, hosts.count, hosts.count > 1 ? isStandby : undefined);
  const begin = guardTransactions(client, { send, resend }, deadlineMs) as (
    ...args: unknown[]
  ) => Promise<unknown>;
  const outside: SendPolicy = { send, resend: (make, sendOne) => asUnavailable(resend(make, sendOne)) };
  return guardStatements(client, outside, {
    begin: (...args: unknown[]) => asUnavailable(withPermit(() => begin(...args))),
    reserve: () => Promise.reject(new Error('Use begin: reserve can wait for ever in this client.')),
  });
}

/**
 * When a connection breaks off within an answer, postgres 3.4.9 counts the rows of the next connection's first answer on
 * from there: they stand behind holes.
 */
function dropHoles<T>(answer: T): T {
  if (Array.isArray(answer) && answer.length > 0 && !(0 in answer)) {
    answer.splice(
      0,
      answer.findIndex((_, place) => place in answer),
    );
  }
  return answer;
}

/** A database that is away or full is a failure the callers' callers know; a wrong statement stays what it is. */
async function asUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PerchError || !isDatabaseUnavailable(error)) throw error;
    if (isRefused(error)) throw errors.refused('database', error);
    throw isDatabaseFull(error)
      ? errors.storageFull('database', error)
      : errors.unavailable('database', error);
  }
}
