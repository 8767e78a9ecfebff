import { beforeEach, describe, expect, test } from 'bun:test';
import { explain } from '../../infra/bench/query-plan.ts';
import { until } from '../../infra/until.ts';
import { listAccess } from '../../services/analytics/operations/access-log.ts';
import { listDays } from '../../services/analytics/repository/days.ts';
import { listEntries } from '../../services/analytics/repository/entries.ts';
import {
  accessLogPasses,
  dropOldDays,
  forgetOldBatches,
  prepareDays,
  updateIndexes,
} from '../../services/analytics/sweep/access-log-passes.ts';
import { type AccessFilter, NO_FILTER } from '../../shared/contracts/access-log.ts';
import { BACKUP_LOCK } from '../../shared/items/backup-lock.ts';
import { createPause } from '../../shared/sweep/pause.ts';
import { startSweeper } from '../../shared/sweep/sweeper.ts';
import { accessEvent, NOON } from '../access-events.ts';
import { accessBatch, DAY_MS, useAccessLog } from './access-log-operations.ts';

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

/** Of each table of the log the first columns or words that its indexes are of. */
async function indexes(): Promise<Record<string, string[]>> {
  const found = await deps.sql<Array<{ tablename: string; first: string }>>`
    select tablename, substring(indexdef from 'USING \\w+ \\(+"?(\\w+)') as first
    from pg_indexes where tablename like 'access_log%' order by 1, 2`;
  const byTable = Map.groupBy(found, ({ tablename }) => tablename);
  return Object.fromEntries(Array.from(byTable, ([table, rows]) => [table, rows.map(({ first }) => first)]));
}

/** Indexes of the whole log, and with them the earlier ones that the index of words replaces. */
const KEPT = ['created_at', 'method', 'status', 'status'];
const EARLIER = [
  'client_ip',
  ...KEPT.slice(0, 1),
  'left',
  ...KEPT.slice(1, 2),
  'resource_namespace',
  ...KEPT.slice(2),
];

describe('the indexes of the log', () => {
  const earlierIndexes = async () => {
    await deps.sql`create index if not exists access_log_client_ip on access_log (client_ip, created_at, id)`;
    await deps.sql`
      create index if not exists access_log_resource on access_log (resource_namespace, resource_id, created_at, id)`;
    await deps.sql`create index if not exists access_log_path on access_log (left(path, 100) text_pattern_ops)`;
  };

  test('are those of the release, also where several begin at once', async () => {
    await earlierIndexes();
    await Promise.all([updateIndexes(deps), prepareDays(deps), prepareDays(deps), updateIndexes(deps)]);
    await updateIndexes(deps);
    const day = ['array_to_tsvector', 'client_ips', ...KEPT];
    expect(await indexes()).toEqual({
      access_log: KEPT,
      access_log_20261121: day,
      access_log_20261122: day,
    });
  });

  test('of days of an earlier release are built before the earlier ones go, and entries stay found', async () => {
    await earlierIndexes();
    const written = [accessEvent({ at: NOON - DAY_MS, path: '/public/old' }), accessEvent()];
    await log.write(accessBatch(written));
    await deps.sql`analyze access_log`;
    for (const day of ['access_log_20261120', 'access_log_20261121'])
      await deps.sql`drop index ${deps.sql(`${day}_words`)}, ${deps.sql(`${day}_client_ips`)}`;
    expect(await indexes()).toEqual({
      access_log: EARLIER,
      access_log_20261120: EARLIER,
      access_log_20261121: EARLIER,
    });
    await Promise.all([updateIndexes(deps), updateIndexes(deps), log.write(accessBatch([accessEvent()]))]);
    await updateIndexes(deps);
    const day = ['array_to_tsvector', 'client_ips', ...KEPT];
    expect(await indexes()).toEqual({ access_log: KEPT, access_log_20261120: day, access_log_20261121: day });
    const { items } = await listAccess(deps, {
      filter: { ...NO_FILTER, pathPrefix: '/public/o' },
      after: null,
      offset: 0,
      limit: 9,
      counted: true,
    });
    expect(items.map(({ path }) => path)).toEqual(['/public/old']);
  });

  test.each([
    ['long', 1_000_001],
    ['not analyzed', -1],
  ])('of a day that is %s are built when nobody writes to it any more', async (_, length) => {
    await earlierIndexes();
    await log.write(accessBatch([accessEvent()]));
    const built = { access_log: KEPT, access_log_20261121: ['array_to_tsvector', 'client_ips', ...KEPT] };
    const dropIndexes = async (entries: number) => {
      await deps.sql`drop index access_log_20261121_words, access_log_20261121_client_ips`;
      await deps.sql`update pg_class set reltuples = ${entries} where relname = 'access_log_20261121'`;
    };
    await dropIndexes(length);
    // The stream keeps events for two days, so they may arrive until the end of the next but one.
    for (const now of [NOON, MIDNIGHT + 3 * DAY_MS - 1]) {
      log.time.now = now;
      await updateIndexes(deps);
      expect(await indexes()).toEqual({ access_log: EARLIER, access_log_20261121: EARLIER });
    }
    log.time.now = MIDNIGHT + 3 * DAY_MS;
    await updateIndexes(deps);
    expect(await indexes()).toEqual(built);
    log.time.now = NOON;
    await dropIndexes(1_000_000);
    await updateIndexes(deps);
    expect(await indexes()).toEqual(built);
  });

  /** A day without one of its indexes, and a writer to it until `release`. */
  async function heldDay() {
    await log.write(accessBatch([accessEvent()]));
    await deps.sql`analyze access_log`;
    await deps.sql`drop index access_log_20261121_client_ips`;
    const holding = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const writer = deps.sql.begin(async (tx) => {
      await tx`lock table access_log_20261121 in row exclusive mode`;
      held.resolve();
      await holding.promise;
    });
    await held.promise;
    return {
      untilIndexWaits: () =>
        until('the index waits for the writer', async () => {
          const waiting = await deps.sql`
            select from pg_locks where relation = 'access_log_20261121'::regclass and not granted`;
          return waiting.length > 0;
        }),
      async release() {
        holding.resolve();
        await writer;
      },
    };
  }
  const indexesOfDay = async () => (await indexes()).access_log_20261121;

  test('are built by one process at a time, in as long as it takes', async () => {
    const { untilIndexWaits, release } = await heldDay();
    const first = updateIndexes(deps);
    await untilIndexWaits();
    const indexing = await deps.sql`
      select from pg_stat_activity where application_name = 'perch maintenance' and query like '%create index%'`;
    expect(indexing.length).toBe(1);
    await updateIndexes(deps);
    await Promise.all([first, release()]);
    expect(await indexesOfDay()).toEqual(['array_to_tsvector', 'client_ips', ...KEPT]);
  });

  test('are built while the other passes of the log go on', async () => {
    log.time.now = NOON - 40 * DAY_MS;
    await log.write(accessBatch([accessEvent({ at: log.time.now })]));
    log.time.now = NOON;
    const { untilIndexWaits, release } = await heldDay();
    expect(await days()).toEqual(['2026-10-12', '2026-11-21']);
    const sweepers = accessLogPasses(deps).map((passes) =>
      startSweeper(passes, { log: deps.log, pause: createPause(), intervalMs: 50 }),
    );
    await untilIndexWaits();
    await until('the old day is dropped', async () => !(await days()).includes('2026-10-12'));
    expect(await indexesOfDay()).not.toContain('client_ips');
    await release();
    await until('the day is indexed', async () => (await indexesOfDay())?.includes('client_ips') ?? false);
    await Promise.all(sweepers.map((sweeper) => sweeper.stop()));
  });

  test('find what is asked for: a rare address, item and path by the words, the newest by their order', async () => {
    await updateIndexes(deps);
    const many = Array.from({ length: 20_000 }, (_, n) =>
      accessEvent({
        at: NOON - n,
        clientIp: `10.0.${n >> 8}.${n & 255}`,
        path: `/public/${n}`,
        resourceType: 'html',
        resourceNamespace: 'public',
        resourceId: `item-${n}`,
      }),
    );
    await log.write(accessBatch(many));
    await deps.sql`analyze access_log`;
    const planOf = async (filter: Partial<AccessFilter>): Promise<string> => {
      const { lines } = await explain(deps.sql, (tx) =>
        listEntries(tx, { ...NO_FILTER, ...filter }, { after: null, offset: 0, limit: 101 }),
      );
      return lines.join('\n');
    };
    for (const filter of [
      { clientIp: '10.0.3.7' },
      { pathPrefix: '/public/777' },
      { resource: { namespace: 'public', id: 'item-4321' } },
    ]) {
      expect(await planOf(filter)).toContain('access_log_20261121_words');
    }
    expect(await planOf({ clientIp: '10.0.3.7' })).toContain('access_log_20261121_client_ips');
    expect(await planOf({})).toContain('access_log_20261121_pkey');
  });
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
