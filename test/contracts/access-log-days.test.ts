import { beforeEach, expect, test } from 'bun:test';
import { listDays } from '../../services/analytics/repository/days.ts';
import { dropOldDays } from '../../services/analytics/sweep/drop-old-days.ts';
import { forgetOldBatches } from '../../services/analytics/sweep/forget-batches.ts';
import { prepareDays } from '../../services/analytics/sweep/prepare-days.ts';
import { BACKUP_LOCK } from '../../shared/items/backup-lock.ts';
import { accessBatch, accessEvent, DAY_MS, NOON, useAccessLog } from './access-log-operations.ts';

const log = useAccessLog(30);
const { deps } = log;
const MIDNIGHT = NOON - DAY_MS / 2;
const date = (day: number) => new Date(day).toISOString().slice(0, 10);
const days = async () => (await listDays(deps.sql)).map(date);
const dropAllDays = async () => {
  log.time.now = MIDNIGHT + 400 * DAY_MS;
  await dropOldDays(deps);
};

beforeEach(async () => {
  await dropAllDays();
  await log.clear();
  expect(await days()).toEqual([]);
});

test('today and tomorrow are prepared, also by several at once, and once only', async () => {
  await Promise.all(Array.from({ length: 8 }, () => prepareDays(deps)));
  await prepareDays(deps);
  expect(await days()).toEqual(['2026-11-21', '2026-11-22']);
});

test('a prepared day has the indexes of the log', async () => {
  await prepareDays(deps);
  const indexes = await deps.sql<Array<{ tablename: string; count: number }>>`
    select tablename, count(*) from pg_indexes where tablename like 'access_log%' group by 1 order by 1`;
  expect(indexes.map(({ tablename, count }) => [tablename, count])).toEqual([
    ['access_log', 7],
    ['access_log_20261121', 7],
    ['access_log_20261122', 7],
  ]);
});

test('at midnight writing goes on, whether or not the day was prepared, each event in its own day', async () => {
  await prepareDays(deps);
  const last = MIDNIGHT + DAY_MS - 1;
  log.time.now = last + 1;
  await log.write(accessBatch([accessEvent({ at: last }), accessEvent({ at: last + 1 })]));
  log.time.now = MIDNIGHT + 9 * DAY_MS;
  await log.write(accessBatch([accessEvent({ at: log.time.now })]));
  expect(await days()).toEqual(['2026-11-21', '2026-11-22', '2026-11-30']);
  const rows = await deps.sql<Array<{ day: string; count: number }>>`
    select tableoid::regclass::text as day, count(*) from access_log group by 1 order by 1`;
  expect(rows.map(({ day, count }) => [day, count])).toEqual([
    ['access_log_20261121', 1],
    ['access_log_20261122', 1],
    ['access_log_20261130', 1],
  ]);
});

test('writers and the sweep may make the same days at once', async () => {
  const events = [0, 1, 2, 3, 4].map((n) => accessEvent({ at: NOON - n * DAY_MS }));
  await Promise.all([
    ...Array.from({ length: 6 }, () => log.write(accessBatch(events))),
    ...Array.from({ length: 3 }, () => prepareDays(deps)),
  ]);
  expect((await log.counts()).entries).toBe(30);
});

test('a day goes with all that was counted of it when its youngest entry is older than the retention', async () => {
  await log.write(
    accessBatch([NOON, NOON + 13 * 3_600_000].map((at) => accessEvent({ at: Math.min(at, NOON) }))),
  );
  const end = MIDNIGHT + DAY_MS;
  for (const now of [NOON, end + 30 * DAY_MS - 1]) {
    log.time.now = now;
    await dropOldDays(deps);
    expect(await days()).toEqual(['2026-11-21']);
    expect(await log.counts()).toMatchObject({
      entries: 2,
      days: 2,
      hours: 2,
      latencies: 2,
      ips: 2,
      values: 2,
    });
  }
  log.time.now = end + 30 * DAY_MS;
  await Promise.all([dropOldDays(deps), dropOldDays(deps)]);
  expect(await days()).toEqual([]);
  expect(await log.counts()).toMatchObject({
    entries: 0,
    days: 0,
    hours: 0,
    latencies: 0,
    ips: 0,
    values: 0,
  });
});

test('what a day had counted goes in parts, and younger days stay', async () => {
  await log.write(
    accessBatch([
      ...Array.from({ length: 10_500 }, (_, n) => accessEvent({ at: NOON - DAY_MS, path: `/public/${n}` })),
      accessEvent(),
    ]),
  );
  log.time.now = MIDNIGHT + 30 * DAY_MS;
  expect(await dropOldDays(deps)).toMatchObject({ more: true });
  while ((await dropOldDays(deps)).more);
  expect(await days()).toEqual(['2026-11-21']);
  expect(await log.counts()).toMatchObject({
    entries: 1,
    days: 1,
    hours: 1,
    latencies: 1,
    ips: 1,
    values: 1,
  });
});

test('a reader keeps a day from being dropped; the sweep fails soon and succeeds later', async () => {
  await log.write(accessBatch([accessEvent()]));
  log.time.now = NOON + 40 * DAY_MS;
  const reading = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  const reader = deps.sql.begin(async (tx) => {
    await tx`select count(*) from access_log`;
    reading.resolve();
    await read.promise;
  });
  await reading.promise;
  await expect(dropOldDays(deps)).rejects.toMatchObject({ code: '55P03' });
  read.resolve();
  await reader;
  await dropOldDays(deps);
  expect(await days()).toEqual([]);
});

test('a drop does not wait for a backup that reads the log, and goes on while it only copies blobs', async () => {
  await log.write(accessBatch([accessEvent()]));
  log.time.now = NOON + 40 * DAY_MS;
  const { classId, objectId } = BACKUP_LOCK;
  const read = Promise.withResolvers<void>();
  const reading = Promise.withResolvers<void>();
  const backup = deps.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock_shared(${classId}::int, ${objectId}::int)`;
    await tx`savepoint tables`;
    await tx`select count(*) from access_log`;
    reading.resolve();
    await read.promise;
    await tx`rollback to savepoint tables`;
    await dropOldDays(deps);
  });
  await reading.promise;
  const dropping = { ended: false };
  const drop = dropOldDays(deps)
    .finally(() => {
      dropping.ended = true;
    })
    .catch((error: unknown) => error);
  let waited = 0;
  while (!dropping.ended) {
    const waiting = await deps.sql`
      select from pg_locks join pg_database on pg_database.oid = database
      where datname = current_database() and relation = 'access_log'::regclass and not granted`;
    waited += waiting.length;
  }
  expect({ waited, refused: await drop }).toMatchObject({ waited: 0, refused: { code: '55P03' } });
  read.resolve();
  await backup;
  expect(await days()).toEqual([]);
});

test('written batches are known for longer than the stream keeps them, then forgotten', async () => {
  const batch = accessBatch([accessEvent()]);
  await log.write(batch);
  log.time.now = NOON + 3 * DAY_MS;
  await forgetOldBatches(deps);
  await log.write(batch);
  expect(await log.counts()).toMatchObject({ entries: 1, batches: 1 });
  log.time.now += 1;
  expect(await forgetOldBatches(deps)).toEqual({ done: 1, more: false });
  expect((await log.counts()).batches).toBe(0);
});
