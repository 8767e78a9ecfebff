import { backupIsUnderWay } from '../../../shared/items/backup-lock.ts';
import type { Database, Query } from '../../../shared/items/sql.ts';
import { DAY_MS, dateOf } from '../utc-days.ts';
import { indexedWords } from './index-words.ts';

/** A day's partition of the log. */
const partitionOf = (day: number): string => `access_log_${dateOf(day).replaceAll('-', '')}`;

/** Longest a drop waits for readers of the log, in ms: while it waits, nobody else gets in. */
const DROP_LOCK_MS = 1_000;

/** Makes the log ready for events of these days. Processes may do so at the same time. */
export async function makeDays(sql: Database, days: readonly number[]): Promise<void> {
  if ((await missingDays(sql, days)).length === 0) return;
  await sql.begin(async (tx) => {
    await lockDays(tx);
    for (const day of await missingDays(tx, days)) {
      const partition = tx(partitionOf(day));
      // Made by itself and then attached: `partition of` would lock out readers and writers of all days.
      await tx`create table ${partition} (like access_log including defaults including constraints including storage)`;
      await indexWords(tx, partitionOf(day));
      await indexClients(tx, partitionOf(day));
      await tx`
        alter table access_log attach partition ${partition}
        for values from (${instant(tx, day)}) to (${instant(tx, day + DAY_MS)})`;
    }
  });
}

/** Kilobytes of new words that wait until they are put in place together: what a reader has to search through. */
const WAITING_KB = 1_024;

const waitingList = (tx: Query) =>
  tx`with (gin_pending_list_limit = ${(tx as Database).unsafe(String(WAITING_KB))})`;

const indexWords = (tx: Query, partition: string) => tx`
  create index ${tx(`${partition}_words`)} on ${tx(partition)} using gin ((${indexedWords(tx)}))
  ${waitingList(tx)}`;

/** Clients of entries that share a row: the words have that of the newest alone. */
const indexClients = (tx: Query, partition: string) => tx`
  create index ${tx(`${partition}_client_ips`)} on ${tx(partition)} using gin (client_ips)
  ${waitingList(tx)} where client_ips is not null`;

/** Entries of a day whose words are indexed within a statement's time, on a slow machine too. */
const MAX_INDEXED_AT_ONCE = 1_000_000;

/** Entries of a day that are looked through within it for those with several clients, of which an earlier release made none. */
const MAX_SCANNED_AT_ONCE = 5_000_000;

/**
 * Gives days of an earlier release the indexes of words and of clients, and drops the indexes that the words took the place of as
 * soon as all days have them. Writers to a day wait while it is indexed, some seconds at the most; a longer day stays as it is.
 */
export async function indexDays(sql: Database): Promise<void> {
  await replaceEarlierIndexes(sql);
  await indexDaysWithout(sql, 'client_ips', { index: indexClients, maxEntries: MAX_SCANNED_AT_ONCE });
}

async function replaceEarlierIndexes(sql: Database): Promise<void> {
  const [earlier] =
    await sql`select from pg_class where relname = any(${EARLIER_INDEXES}::text[]) and relkind = 'I'`;
  if (earlier === undefined) return;
  await indexDaysWithout(sql, 'words', { index: indexWords, maxEntries: MAX_INDEXED_AT_ONCE });
  await sql.begin(async (tx) => {
    await lockDays(tx);
    if ((await daysWithout(tx, 'words')).length > 0) return;
    await tx`select set_config('lock_timeout', ${`${DROP_LOCK_MS}ms`}, true)`;
    for (const name of EARLIER_INDEXES) await tx`drop index if exists ${tx(name)}`;
  });
}

/** An index that each day has for itself, by the end of its name. */
type DayIndex = 'words' | 'client_ips';

/** Goes on with the next day where one fails, and fails in the end. */
async function indexDaysWithout(
  sql: Database,
  name: DayIndex,
  { index, maxEntries }: { index: (tx: Query, partition: string) => Promise<unknown>; maxEntries: number },
): Promise<void> {
  const failures: unknown[] = [];
  for (const { partition, entries } of await daysWithout(sql, name)) {
    if (entries > maxEntries) continue;
    const indexed = sql.begin(async (tx) => {
      await lockDays(tx);
      const waiting = await daysWithout(tx, name);
      if (waiting.some((day) => day.partition === partition)) await index(tx, partition);
    });
    await indexed.catch((failure: unknown) => failures.push(failure));
  }
  if (failures.length > 0) throw failures[0];
}

/** Indexes of the log as a whole; each day has its own part of them. */
const EARLIER_INDEXES = ['access_log_client_ip', 'access_log_resource', 'access_log_path'];

const daysWithout = (sql: Query, name: DayIndex) => sql<Array<{ partition: string; entries: number }>>`
  select relname as partition, reltuples::bigint as entries
  from pg_inherits join pg_class on pg_class.oid = inhrelid
  where inhparent = 'access_log'::regclass and not exists (
    select from pg_index join pg_class named on named.oid = indexrelid
    where indrelid = inhrelid and named.relname = pg_class.relname || ${`_${name}`}
  ) order by relname`;

/** Keeps others from making and changing days until the transaction ends. */
const lockDays = (tx: Query) => tx`select pg_advisory_xact_lock(hashtextextended('access log days', 2))`;

async function missingDays(sql: Query, days: readonly number[]): Promise<number[]> {
  const made = await listDays(sql);
  return days.filter((day) => !made.includes(day));
}

/** The days that the log has room for. */
export async function listDays(sql: Query): Promise<number[]> {
  const found = await sql<Array<{ name: string }>>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'access_log'::regclass order by relname`;
  return found.map(({ name }) => Date.parse(name.replace(/^.*_(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')));
}

/** Drops a day with all its entries. @throws when it does not get the lock soon: somebody reads the log */
export async function dropDay(sql: Database, day: number): Promise<void> {
  await sql.begin(async (tx) => {
    const [backup] = await tx<Array<{ underWay: boolean }>>`
      select ${backupIsUnderWay(tx)} as under_way, set_config('lock_timeout', ${`${DROP_LOCK_MS}ms`}, true)`;
    // A backup may read the log for long: each attempt that waited for its end would keep writers waiting, too.
    if (backup?.underWay) await tx`lock table only access_log in access exclusive mode nowait`;
    await tx`drop table if exists ${tx(partitionOf(day))}`;
  });
}

/** DDL takes no parameters, so the value goes into the text: an ISO timestamp made from a number, with nothing to escape. */
const instant = (sql: Database | Query, at: number) =>
  (sql as Database).unsafe(`'${new Date(at).toISOString()}'`);
