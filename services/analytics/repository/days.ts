import { backupIsUnderWay } from '../../../shared/items/backup-lock.ts';
import type { Database, Query } from '../../../shared/items/sql.ts';
import { DAY_MS } from '../utc-days.ts';
import { indexNewDay } from './day-indexes.ts';
import { dayOfPartition, limitLockWait, lockDays, partitionOf } from './partitions.ts';

interface DayOptions {
  /** When false, `indexDays` has to make the indexes: of a table that is filled before, or whose schema is an earlier one. */
  isIndexed?: boolean;
}

/** Makes the log ready for events of these days. Processes may do so at the same time. */
export async function makeDays(
  sql: Database,
  days: readonly number[],
  { isIndexed = true }: DayOptions = {},
): Promise<void> {
  if ((await missingDays(sql, days)).length === 0) return;
  await sql.begin(async (tx) => {
    await lockDays(tx);
    for (const day of await missingDays(tx, days)) {
      const partition = tx(partitionOf(day));
      // Made by itself and then attached: `partition of` would lock out readers and writers of all days.
      await tx`create table ${partition} (like access_log including defaults including constraints including storage)`;
      if (isIndexed) await indexNewDay(tx, partitionOf(day));
      await tx`
        alter table access_log attach partition ${partition}
        for values from (${instant(tx, day)}) to (${instant(tx, day + DAY_MS)})`;
    }
  });
}

async function missingDays(sql: Query, days: readonly number[]): Promise<number[]> {
  const made = await listDays(sql);
  return days.filter((day) => !made.includes(day));
}

/** The days that the log has room for. */
export async function listDays(sql: Query): Promise<number[]> {
  const found = await sql<Array<{ name: string }>>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'access_log'::regclass order by relname`;
  return found.map(({ name }) => dayOfPartition(name));
}

/** Drops a day with all its entries. @throws when it does not get the lock soon: somebody reads the log */
export async function dropDay(sql: Database, day: number): Promise<void> {
  await sql.begin(async (tx) => {
    const [backup] = await tx<Array<{ underWay: boolean }>>`select ${backupIsUnderWay(tx)} as under_way`;
    await limitLockWait(tx);
    // A backup may read the log for long: each attempt that waited for its end would keep writers waiting, too.
    if (backup?.underWay) await tx`lock table only access_log in access exclusive mode nowait`;
    await tx`drop table if exists ${tx(partitionOf(day))}`;
  });
}

/** DDL takes no parameters, so the value goes into the text: an ISO timestamp made from a number, with nothing to escape. */
const instant = (sql: Database | Query, at: number) =>
  (sql as Database).unsafe(`'${new Date(at).toISOString()}'`);
