import type { Database, Query } from '../../../shared/items/sql.ts';
import { indexedWords } from './index-words.ts';
import { dayOfPartition, limitLockWait, lockDays } from './partitions.ts';

/** Kilobytes of new words that wait until they are put in place together: what a reader has to search through. */
const WAITING_KB = 1_024;

const waitingList = (tx: Query) =>
  tx`with (gin_pending_list_limit = ${(tx as Database).unsafe(String(WAITING_KB))})`;

/** Indexes that each day has for itself, by the end of their names. */
const INDEXES = {
  words: (tx: Query, partition: string) => tx`
    create index ${tx(`${partition}_words`)} on ${tx(partition)} using gin ((${indexedWords(tx)}))
    ${waitingList(tx)}`,
  /** Clients of entries that share a row: the words have that of the newest alone. */
  client_ips: (tx: Query, partition: string) => tx`
    create index ${tx(`${partition}_client_ips`)} on ${tx(partition)} using gin (client_ips)
    ${waitingList(tx)} where client_ips is not null`,
};

type DayIndex = keyof typeof INDEXES;

const DAY_INDEXES = ['words', 'client_ips'] as const;

/** Indexes of the log as a whole, each day with its own part of them, that the words took the place of. */
const EARLIER_INDEXES = ['access_log_client_ip', 'access_log_resource', 'access_log_path'];

/** Indexes a new day. */
export async function indexNewDay(tx: Query, partition: string): Promise<void> {
  for (const name of DAY_INDEXES) await INDEXES[name](tx, partition);
}

/** Whether `indexDays` has anything to do. */
export async function areIndexesOutdated(sql: Query): Promise<boolean> {
  for (const name of DAY_INDEXES) if ((await daysWithout(sql, name)).length > 0) return true;
  return await hasEarlierIndexes(sql);
}

/** Entries of a day that is still written to, of which an index is made within seconds while writers wait. */
const MAX_WRITTEN_ENTRIES = 1_000_000;

/** A day of which nothing is known may be long. */
const isShort = (entries: number): boolean => entries >= 0 && entries <= MAX_WRITTEN_ENTRIES;

/**
 * Gives days of an earlier release the indexes of this one, and drops the indexes that the words replace as soon as all days
 * have words. Writers to a day wait while it is indexed: a day that may still be written to is indexed only if it is
 * known to be short. Days before `settled` (by their first ms) have no writers, and are indexed however long it takes.
 * One process indexes at a time. Where a day fails the next one follows, and the call fails in the end.
 * @param sql a connection for statements that take long
 */
export async function indexDays(sql: Database, settled: number): Promise<void> {
  const failures: unknown[] = [];
  const attempt = async (work: Promise<unknown>): Promise<void> => {
    await work.catch((failure: unknown) => failures.push(failure));
  };
  for (const name of DAY_INDEXES) {
    for (const { partition, entries } of await daysWithout(sql, name)) {
      if (dayOfPartition(partition) < settled || isShort(entries))
        await attempt(indexDay(sql, name, partition));
    }
  }
  await attempt(dropEarlierIndexes(sql));
  if (failures.length > 0) throw failures[0];
}

async function indexDay(sql: Database, name: DayIndex, partition: string): Promise<void> {
  await sql.begin(async (tx) => {
    const [lock] = await tx<Array<{ taken: boolean }>>`
      select pg_try_advisory_xact_lock(hashtextextended('access log indexes', 2)) as taken`;
    if (lock?.taken !== true) return;
    const waiting = await daysWithout(tx, name);
    if (!waiting.some((day) => day.partition === partition)) return;
    // Behind a pool such as PgBouncer a connection has the role's limit in place of its own. The client still gives up in time.
    await tx`select set_config('statement_timeout', '0', true)`;
    await INDEXES[name](tx, partition);
  });
}

async function dropEarlierIndexes(sql: Database): Promise<void> {
  if (!(await hasEarlierIndexes(sql))) return;
  await sql.begin(async (tx) => {
    await lockDays(tx);
    if ((await daysWithout(tx, 'words')).length > 0) return;
    await limitLockWait(tx);
    for (const name of EARLIER_INDEXES) await tx`drop index if exists ${tx(name)}`;
  });
}

async function hasEarlierIndexes(sql: Query): Promise<boolean> {
  const found =
    await sql`select from pg_class where relname = any(${EARLIER_INDEXES}::text[]) and relkind = 'I'`;
  return found.length > 0;
}

/** Days without an index; how many entries the last `analyze` found in each, -1 where there was none. */
const daysWithout = (sql: Query, name: DayIndex) => sql<Array<{ partition: string; entries: number }>>`
  select relname as partition, reltuples::bigint as entries
  from pg_inherits join pg_class on pg_class.oid = inhrelid
  where inhparent = 'access_log'::regclass and not exists (
    select from pg_index join pg_class named on named.oid = indexrelid
    where indrelid = inhrelid and named.relname = pg_class.relname || ${`_${name}`}
  ) order by relname`;
