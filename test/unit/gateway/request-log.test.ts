import { expect, test } from 'bun:test';
import { createRequestLog, type SummedReason } from '../../../services/gateway/access-log/request-log.ts';
import type { AccessEvent } from '../../../shared/contracts/access-log.ts';
import { accessEvent, toEvent, toLoggedRequest } from '../../access-events.ts';

const request = (changes: Partial<AccessEvent> = {}) =>
  toLoggedRequest(accessEvent({ at: 1, query: 'a=1', ...changes }));

const SIZE = 100;

function recorder(maxBytesPerDay = 0) {
  const written: AccessEvent[] = [];
  const summed: Record<SummedReason, number> = { refused: 0, bound: 0 };
  const time = { now: 0 };
  const log = createRequestLog({
    write: (logged) => void written.push(toEvent(logged)),
    sizeOf: () => SIZE,
    maxBytesPerDay,
    onSummed(reason) {
      summed[reason] += 1;
    },
    now: () => time.now,
  });
  const requests = () => written.reduce((sum, event) => sum + (event.requests ?? 1), 0);
  return { ...log, written, summed, time, requests };
}

test.each([429, 503])(
  'of a client that is answered %d without end ten are written, and one count',
  (status) => {
    const log = recorder();
    for (let n = 0; n < 10_000; n++)
      log.record(request({ status, at: n, path: `/public/${n}`, durationMs: n % 3 }));
    expect(log.written).toHaveLength(10);
    log.flush();
    expect(log.written).toHaveLength(11);
    expect(log.requests()).toBe(10_000);
    expect(log.written.at(-1)).toMatchObject({
      status,
      at: 9_999,
      path: '*',
      query: 'a=1',
      durationMs: 1,
      requests: 9_990,
    });
    expect(log.summed).toEqual({ refused: 9_990, bound: 0 });
    log.flush();
    log.record(request({ status }));
    expect(log.written).toHaveLength(12);
  },
);

test('each client, status and method is counted by itself, and nothing else is', () => {
  const log = recorder();
  for (let n = 0; n < 100; n++)
    for (const clientIp of ['192.0.2.1', '192.0.2.2', `2001:db8::${n}`])
      for (const status of [200, 404, 429, 500, 503])
        for (const method of ['GET', 'PUT']) log.record(request({ clientIp, status, method }));
  log.flush();
  expect(log.requests()).toBe(100 * 3 * 5 * 2);
  const of = (status: number) => log.written.filter((event) => event.status === status);
  for (const status of [200, 404, 500]) expect(of(status)).toHaveLength(600);
  for (const status of [429, 503]) {
    const rows = of(status).filter(({ requests = 1 }) => requests > 1);
    expect(rows.map(({ requests }) => requests)).toEqual(Array(6).fill(95));
    expect(of(status)).toHaveLength(3 * 10 + 6);
  }
});

test('a row has what all its requests have in common', () => {
  const log = recorder();
  for (let n = 0; n < 10; n++) log.record(request({ status: 429 }));
  log.record(request({ status: 429 }));
  log.record(
    request({
      status: 429,
      query: 'a=2',
      userAgent: 'Other/1.0',
      resourceId: 'other',
      referer: 'https://a.example/',
    }),
  );
  log.flush();
  expect(log.written.at(-1)).toMatchObject({
    path: '/public/page',
    query: '',
    userAgent: null,
    referer: null,
    requests: 2,
    resourceType: null,
    resourceNamespace: null,
    resourceId: null,
  });
});

test('however many clients are refused, rows stay few and none goes uncounted', () => {
  const log = recorder();
  for (let round = 0; round < 20; round++)
    for (let n = 0; n < 3_000; n++)
      log.record(request({ status: 429, clientIp: `10.0.${n >> 8}.${n & 255}` }));
  log.flush();
  expect(log.requests()).toBe(60_000);
  const rows = log.written.filter(({ requests = 1 }) => requests > 1);
  expect(rows).toHaveLength(1_001);
  expect(rows.find(({ clientIp }) => clientIp === '*')?.requests).toBeGreaterThan(10_000);
});

test('beyond the bytes of a day all is counted, until there is room again', () => {
  const log = recorder(100 * SIZE);
  for (let n = 0; n < 250; n++) log.record(request());
  expect([log.written.length, log.summed.bound]).toEqual([100, 150]);
  log.flush();
  expect([log.written.length, log.requests()]).toEqual([101, 250]);
  log.time.now += 86_400_000 / 2;
  // The row of the sum took the room of one.
  for (let n = 0; n < 60; n++) log.record(request());
  expect([log.written.length, log.summed.bound]).toEqual([150, 161]);
  log.time.now += 10 * 86_400_000;
  for (let n = 0; n < 110; n++) log.record(request());
  expect([log.written.length, log.summed.bound]).toEqual([250, 171]);
});

test('beyond the bytes of a day many clients are one sum, without texts of theirs', () => {
  const log = recorder(100 * SIZE);
  for (let round = 0; round < 20; round++) {
    for (let n = 0; n < 900; n++)
      log.record(request({ clientIp: `2001:db8:0:${n.toString(16)}::1`, path: `/public/${n}` }));
    log.flush();
  }
  expect(log.requests()).toBe(20 * 900);
  // At first each client has a sum of its own; when these have taken more than there is, all have one.
  expect(log.written).toHaveLength(100 + 800 + 19);
  const sums = log.written.slice(100);
  for (const { path, query, userAgent } of sums)
    expect({ path, query, userAgent }).toEqual({ path: '*', query: '', userAgent: null });
  expect(sums.at(-1)).toMatchObject({ clientIp: '*', requests: 900 });
});
