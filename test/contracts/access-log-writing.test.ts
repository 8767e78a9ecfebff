import { beforeEach, expect, test } from 'bun:test';
import { MAX_ALIKE } from '../../services/analytics/alike-entries.ts';
import { accessEvent, NOON } from '../access-events.ts';
import { accessBatch, DAY_MS, useAccessLog } from './access-log-operations.ts';

const log = useAccessLog();
const { deps } = log;
beforeEach(() => log.clear());

/** Every table has counted so many requests. */
const counted = (requests: number, batches: number) => ({
  entries: requests,
  days: requests,
  hours: requests,
  latencies: requests,
  ips: requests,
  values: requests,
  batches,
});

test('an event is written with all it says', async () => {
  const event = accessEvent({
    query: 'raw=1',
    status: 404,
    durationMs: 12.345,
    referer: 'https://example.com/',
    userAgent: null,
    resourceType: null,
    resourceNamespace: null,
    resourceId: null,
    clientIp: '2001:db8::1',
  });
  await log.write(accessBatch([event]));
  const { at, ...fields } = event;
  const [entry] = await log.entries();
  expect(entry).toMatchObject({ ...fields, createdAt: at });
});

test('a batch that comes again is not written again, nor is one that comes twice at a time', async () => {
  const first = accessBatch([accessEvent(), accessEvent()]);
  await log.write(first);
  await log.write(first);
  await log.write(first, accessBatch([accessEvent()], 'new'), accessBatch([accessEvent()], 'new'));
  expect(await log.counts()).toEqual(counted(3, 2));
});

test('of writers with the same batches at once each batch is written by one', async () => {
  const batches = Array.from({ length: 30 }, (_, n) =>
    accessBatch([accessEvent({ path: `/public/${n}` }), accessEvent({ clientIp: `192.0.2.${n}` })]),
  );
  await Promise.all(
    Array.from({ length: 12 }, (_, writer) =>
      log.write(...(writer % 2 === 0 ? batches : batches.toReversed()).slice(writer)),
    ),
  );
  await log.write(...batches);
  expect(await log.counts()).toEqual(counted(60, 30));
});

test('writers of different batches at once lose no count and do not end in a deadlock', async () => {
  const hours = [0, 1, 2, 25].map((hours) => NOON - hours * 3_600_000);
  const writes = Array.from({ length: 24 }, (_, n) => {
    const events = hours.map((at) =>
      accessEvent({ at, clientIp: `192.0.2.${n % 5}`, path: `/public/${n % 3}` }),
    );
    return log.write(accessBatch(n % 2 === 0 ? events : events.toReversed()));
  });
  await Promise.all(writes);
  expect(await log.counts()).toEqual(counted(24 * 4, 24));
});

test('what fails leaves nothing, and can be written afterwards', async () => {
  const batch = accessBatch([accessEvent(), accessEvent({ status: 99_999 })]);
  await expect(log.write(batch)).rejects.toThrow();
  expect(await log.counts()).toEqual(counted(0, 0));
  await log.write(accessBatch([accessEvent()], batch.id));
  expect(await log.counts()).toEqual(counted(1, 1));
});

test('no batches and a batch without events are fine', async () => {
  await log.write();
  await log.write(accessBatch([], 'empty'));
  expect(await log.counts()).toEqual(counted(0, 1));
});

test('nothing that an event holds keeps it from being written', async () => {
  const hostile = 'a\0b\ud800c\\N\t\n"{},\'%_é🐦';
  const long = 'é'.repeat(20_000);
  const texts = (text: string) => ({
    requestId: text,
    clientIp: text,
    userAgent: text,
    method: text,
    path: text,
    query: text,
    referer: text,
    resourceType: 'kv' as const,
    resourceNamespace: text,
    resourceId: text,
  });
  await log.write(accessBatch([hostile, long, 'NULL', ''].map((text) => accessEvent(texts(text)))));
  const entries = await log.entries();
  expect(entries.map(({ path }) => path)).toEqual([
    'a\ufffdb\ufffdc\\N\t\n"{},\'%_é🐦',
    'é'.repeat(2_048),
    'NULL',
    '',
  ]);
  expect(entries[2]).toMatchObject(texts('NULL'));
});

test('nothing that alike events hold is lost in the row that they share', async () => {
  const hostile = ['NULL', 'null', '', ' a ', 'a,b', '{a}', 'a"b\\c', '\\', 'é🐦', 'a.b:c/d-e_f'];
  const alike = hostile.map((text, n) =>
    accessEvent({
      at: NOON - 900 + n,
      requestId: text,
      clientIp: text,
      userAgent: text,
      referer: text,
      durationMs: n / 7,
    }),
  );
  await log.write(accessBatch(alike));
  expect(await deps.sql`select from access_log`).toHaveLength(1);
  const entries = await log.entries();
  expect(entries).toMatchObject(
    alike.map(({ at, viewed: _, ...event }) => ({ ...event, createdAt: at, requests: 1 })),
  );
  expect(new Set(entries.map(({ id }) => id)).size).toBe(alike.length);
});

test('rows of as many entries as there can be have ids of their own', async () => {
  const alike = Array.from({ length: 2 * MAX_ALIKE + 1 }, (_, n) => accessEvent({ requestId: String(n) }));
  await log.write(accessBatch(alike));
  await log.write(accessBatch(alike.slice(0, MAX_ALIKE)));
  expect(await deps.sql`select from access_log`).toHaveLength(4);
  const entries = await log.entries();
  expect(new Set(entries.map(({ id }) => id)).size).toBe(3 * MAX_ALIKE + 1);
});

test('more events than one statement takes are written whole', async () => {
  await log.write(accessBatch(Array.from({ length: 10_001 }, (_, n) => accessEvent({ query: `n=${n}` }))));
  expect(await log.counts()).toEqual(counted(10_001, 1));
});

test('an event from the future is of now', async () => {
  await log.write(
    accessBatch([NOON, NOON + 1, NOON + 40 * DAY_MS, 2 ** 52].map((at) => accessEvent({ at }))),
  );
  expect((await log.entries()).map(({ createdAt }) => createdAt)).toEqual([NOON, NOON, NOON, NOON]);
});

test('an event of a day that is not kept any more is dropped and told, the others are written', async () => {
  const oldest = Date.UTC(2026, 9, 22);
  const events = [oldest - 1, oldest, 0].map((at) => accessEvent({ at }));
  await log.write(accessBatch(events, 'late'), accessBatch([accessEvent()]));
  expect((await log.entries()).map(({ createdAt }) => createdAt)).toEqual([oldest, NOON]);
  expect(log.warnings).toMatchObject([{ events: 2 }]);
  expect(await log.counts()).toEqual(counted(2, 2));
});
