import { expect, test } from 'bun:test';
import pino from 'pino';
import { consumeAccessEvents } from '../../services/analytics/consume-access-events.ts';
import { createInProcessEventStream } from '../../shared/adapters/events/in-process.ts';
import { createColumns } from '../../shared/contracts/access-columns.ts';
import type { AccessBatch, AccessEvent } from '../../shared/contracts/access-log.ts';
import { eventsOf, toLoggedRequest } from '../access-events.ts';

function toColumns(id: string, events: AccessEvent[]) {
  const columns = createColumns();
  for (const event of events) columns.add(toLoggedRequest(event));
  return columns.build(id);
}

const EVENT: AccessEvent = {
  at: 1_795_000_000_000,
  requestId: 'id',
  clientIp: '203.0.113.7',
  userAgent: null,
  method: 'GET',
  path: '/',
  query: '',
  status: 200,
  durationMs: 0.1,
  referer: null,
  resourceType: null,
  resourceNamespace: null,
  resourceId: null,
};
const BATCH: AccessBatch = { id: 'whole', events: [{ ...EVENT, requests: 1 }] };

/** A stream whose consumer writes into an array, or fails as often as told before. */
async function open(failures = 0) {
  const faults: unknown[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void faults.push(JSON.parse(line)) });
  const events = createInProcessEventStream(log);
  const written: AccessBatch[][] = [];
  let attempts = 0;
  const consumption = await consumeAccessEvents({
    events,
    log,
    async write(batches) {
      attempts += 1;
      if (attempts <= failures) throw new Error('the database is away');
      written.push(batches.map(({ id, runs }) => ({ id, events: eventsOf(runs) })));
    },
  });
  return {
    written,
    faults,
    get attempts() {
      return attempts;
    },
    publish: (id: string, text: string | Uint8Array) =>
      events.publish(id, typeof text === 'string' ? new TextEncoder().encode(text) : text),
    async [Symbol.asyncDispose]() {
      await consumption.drain();
      await events.close();
    },
  };
}

test.each([
  ['no JSON', '{'],
  ['nothing', ''],
  ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ['another thing', '{"id":"x"}'],
  ['a batch without an id', JSON.stringify({ ...BATCH, id: '' })],
  ['an event without a status', JSON.stringify({ ...BATCH, events: [{ ...EVENT, status: undefined }] })],
  ['a kind that there is not', JSON.stringify({ ...BATCH, events: [{ ...EVENT, resourceType: 'film' }] })],
])('%s is given up with a word in the log, and keeps no batch waiting', async (_, message) => {
  await using stage = await open();
  await Promise.all([stage.publish('broken', message), stage.publish('whole', JSON.stringify(BATCH))]);
  expect(stage.written).toEqual([[BATCH]]);
  expect(stage.faults).toMatchObject([{ id: 'broken' }]);
});

test('what is no event is left out of its batch, which keeps its id', async () => {
  await using stage = await open();
  const later = { ...EVENT, at: EVENT.at + 1 };
  const events = [EVENT, { ...EVENT, status: 600 }, 'no event', null, later];
  await stage.publish('mixed', JSON.stringify({ id: 'mixed batch', events }));
  expect(stage.written).toEqual([
    [{ id: 'mixed batch', events: [EVENT, later].map((event) => ({ ...event, requests: 1 })) }],
  ]);
  expect(stage.faults).toMatchObject([{ id: 'mixed', dropped: 3, path: '/events/1/status' }]);
});

const VARIOUS: AccessEvent[] = [
  EVENT,
  { ...EVENT, at: EVENT.at - 5, requestId: 'late', query: 'a=\u0000&b=\ud800&c=\u{1f600}', userAgent: '' },
  {
    ...EVENT,
    at: EVENT.at + 5,
    status: 404,
    durationMs: 1_234.56,
    referer: 'https://a.example/"\\',
    path: '/ä',
  },
  {
    ...EVENT,
    method: 'HEAD',
    userAgent: 'GET',
    path: '',
    clientIp: '2001:db8::1',
    resourceType: 'kv',
    resourceNamespace: 'public',
    resourceId: 'kv',
    viewed: 'AAAAAAA',
  },
  { ...EVENT, status: 429, requests: 990 },
];

test('a batch in columns is read as it was sent, beside one of an earlier release', async () => {
  await using stage = await open();
  const many = Array.from({ length: 500 }, (_, n) => ({ ...EVENT, at: EVENT.at + n, path: `/${n % 7}` }));
  const batches = [VARIOUS, [], many].map((events, n) => ({ id: `batch ${n}`, events }));
  for (const { id, events } of batches) await stage.publish(id, JSON.stringify(toColumns(id, events)));
  await stage.publish('whole', JSON.stringify(BATCH));
  const counted = batches.map(({ id, events }) => ({
    id,
    events: events.map((event) => ({ requests: 1, viewed: null, ...event })),
  }));
  expect(stage.written.flat()).toEqual([...counted, BATCH]);
  expect(stage.faults).toEqual([]);
});

test('a batch whose oldest events were dropped has all others', async () => {
  await using stage = await open();
  for (let dropped = 0; dropped <= VARIOUS.length; dropped++) {
    const columns = createColumns();
    for (const event of VARIOUS) columns.add(toLoggedRequest(event));
    for (let n = 0; n < dropped; n++) columns.removeFirst();
    await stage.publish(`${dropped}`, JSON.stringify(columns.build(`${dropped}`)));
  }
  const ids = stage.written.flat().map(({ events }) => events.map(({ at, requestId }) => [at, requestId]));
  const all = VARIOUS.map(({ at, requestId }) => [at, requestId]);
  expect(ids).toEqual([...all.map((_, dropped) => all.slice(dropped)), []]);
  expect(stage.faults).toEqual([]);
});

test('a batch in columns of an earlier release, with arrays of ids and statuses, is read as well', async () => {
  await using stage = await open();
  const columns = toColumns('batch', VARIOUS);
  const requestId = VARIOUS.map((event) => event.requestId);
  const status = VARIOUS.map((event) => event.status);
  await stage.publish('batch', JSON.stringify({ ...columns, requestId, status }));
  await stage.publish('next', JSON.stringify({ ...columns, id: 'next' }));
  const [[earlier] = [], [now] = []] = stage.written;
  expect(earlier?.events).toEqual(now?.events ?? []);
  expect(earlier?.events).toHaveLength(VARIOUS.length);
  expect(stage.faults).toEqual([]);
});

test.each([
  ['a place behind the last text', { path: [0, 3, 1, 99] }, 1],
  ['a place that is no place', { path: [0, 1.5, -2, 1] }, 4],
  ['no text where one must be', { method: [2, 2, -1, 2] }, 1],
  ['a column that is too short', { durationMs: [1, 1, 1] }, 1],
  ['an id too few', { requestId: 'a,b,c' }, 1],
  ['an array with an id too few', { requestId: ['a', 'b', 'c'] }, 1],
  ['a status that there is not', { status: [99, 100, 599, 600] }, 2],
  ['one status for all that there is not', { status: 600 }, 4],
  ['a column that is missing', { status: undefined }, 4],
  ['one place for all that leads nowhere', { path: 5 }, 4],
  ['one text for all where one must be', { query: -1 }, 4],
  ['a kind that there is not', { resourceType: [1, -1, -1, -1] }, 1],
  ['a time before all time', { at: [-1_795_000_000_001, 0, 0, 0] }, 1],
  ['a negative duration', { durationMs: [0, -1, 0, 0] }, 1],
  ['a number of requests that is none', { requests: [1, 0, 1, 1] }, 1],
])('%s costs those events alone that it touches', async (_, fault, dropped) => {
  await using stage = await open();
  const events = [1, 2, 3, 4].map((n) => ({ ...EVENT, path: `/${n}`, requestId: `r${n}` }));
  const columns = { ...toColumns('columns', events), texts: ['203.0.113.7', '/', 'GET', '/other', ''] };
  const sound = {
    clientIp: [0, 0, 0, 0],
    method: [2, 2, 2, 2],
    path: [1, 1, 3, 3],
    query: [4, 4, 4, 4],
  };
  await stage.publish('columns', JSON.stringify({ ...columns, ...sound, ...fault }));
  const written = stage.written.flat().flatMap((batch) => batch.events);
  expect(written).toHaveLength(4 - dropped);
  expect(stage.faults).toHaveLength(1);
});

test('batches are acknowledged only when they are written', async () => {
  await using stage = await open(2);
  await stage.publish('whole', JSON.stringify(BATCH));
  expect(stage.attempts).toBe(3);
  expect(stage.written).toEqual([[BATCH]]);
});

test.each([9, 10, 11])('of %d batches that wait at most 10 are written at once', async (count) => {
  await using stage = await open(1);
  const batches = Array.from({ length: count }, (_, n) => ({ ...BATCH, id: `batch ${n}` }));
  await Promise.all(batches.map((batch) => stage.publish(batch.id, JSON.stringify(batch))));
  expect(stage.written.flat()).toEqual(batches);
  expect(Math.max(...stage.written.map(({ length }) => length))).toBe(Math.min(count, 10));
});
