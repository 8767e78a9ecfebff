import { beforeEach, expect, test } from 'bun:test';
import fc from 'fast-check';
import { bucketOf, latencyAt } from '../../services/analytics/latency-buckets.ts';
import { chartAccess, describeAccess, listAccess } from '../../services/analytics/operations/access-log.ts';
import { type AccessEvent, NO_FILTER } from '../../shared/contracts/access-log.ts';
import { accessEvent, NOON } from '../access-events.ts';
import { accessBatch, DAY_MS, HOUR_MS, useAccessLog } from './access-log-operations.ts';

const log = useAccessLog(30);
const { deps } = log;
beforeEach(() => log.clear());

const MIDNIGHT = NOON - 12 * HOUR_MS;
const DAYS = 3;
const FIRST = MIDNIGHT - (DAYS - 1) * DAY_MS;

const events = fc.array(
  fc.record({
    // Also of the day before the first that counts.
    at: fc.integer({ min: FIRST - DAY_MS, max: NOON }),
    clientIp: fc.constantFrom('192.0.2.1', '192.0.2.2', '2001:db8::1', 'unknown'),
    method: fc.constantFrom('GET', 'HEAD', 'POST'),
    status: fc.constantFrom(200, 201, 304, 404, 503),
    path: fc.constantFrom('/public/a', '/public/b', '/', `/public/${'x'.repeat(400)}`),
    userAgent: fc.constantFrom('One/1.0', 'Two/2.0', '', null),
    referer: fc.constantFrom('https://example.com/', null),
    durationMs: fc.double({ min: 0, max: 20_000, noNaN: true }),
  }),
  { maxLength: 60 },
);

type Counts = Array<{ value: string | number; requests: number }>;

/** Counts values one by one, in the order of the statistics. */
function countPlainly(values: Array<string | number | null>, order: 'by value' | 'most first'): Counts {
  const counts = new Map<string | number, number>();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  const byValue = [...counts]
    .map(([value, requests]) => ({ value, requests }))
    .sort((a, b) => (a.value < b.value ? -1 : 1));
  return order === 'by value' ? byValue : byValue.sort((a, b) => b.requests - a.requests);
}

/** The latency that a share does not exceed, exactly, by the nearest rank. */
function exactLatency(latencies: number[], share: number): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

function expectClose(found: number | null, latencies: number[], share: number): void {
  if (latencies.length === 0) {
    expect(found).toBe(null);
    return;
  }
  const exact = exactLatency(latencies, share);
  // Latencies below the end of the first bucket cannot be told apart.
  expect(found ?? Number.NaN).toBeGreaterThanOrEqual(Math.min(exact, 0.01) * 0.9);
  if (exact > 0.01) expect(Math.abs((found ?? Number.NaN) / exact - 1)).toBeLessThanOrEqual(0.05);
}

test('the statistics are what counting the events one by one gives', async () => {
  await fc.assert(
    fc.asyncProperty(events, fc.integer({ min: 1, max: 7 }), async (changes, batchSize) => {
      await log.clear();
      const all = changes.map((change) => accessEvent(change));
      const batches = Array.from({ length: Math.ceil(all.length / batchSize) }, (_, n) =>
        accessBatch(all.slice(n * batchSize, (n + 1) * batchSize)),
      );
      await Promise.all(batches.map((batch) => log.write(batch)));

      const found = await describeAccess(deps, { days: DAYS });
      const counted = all.filter(({ at }) => at >= FIRST);
      const of = <K extends keyof AccessEvent>(name: K) => counted.map((event) => event[name]);
      const day = (at: number) => new Date(at).toISOString().slice(0, 10);
      expect(found).toMatchObject({
        totalRequests: counted.length,
        uniqueIps: new Set(of('clientIp')).size,
        byStatus: countPlainly(of('status'), 'by value'),
        byMethod: countPlainly(of('method'), 'by value'),
        paths: countPlainly(
          of('path').map((path) => path.slice(0, 300)),
          'most first',
        ),
        ips: countPlainly(of('clientIp'), 'most first'),
        userAgents: countPlainly(of('userAgent'), 'most first'),
        referers: countPlainly(of('referer'), 'most first'),
        hours: countPlainly(
          of('at').map((at) => new Date(at).getUTCHours()),
          'by value',
        ),
      });
      expect(found.days).toEqual(
        Array.from({ length: DAYS }, (_, n) => {
          const date = day(FIRST + n * DAY_MS);
          const ofDay = counted.filter(({ at }) => day(at) === date);
          return {
            date,
            requests: ofDay.length,
            uniqueIps: new Set(ofDay.map(({ clientIp }) => clientIp)).size,
          };
        }),
      );
      for (const [name, share] of [
        ['p50', 0.5],
        ['p95', 0.95],
        ['p99', 0.99],
      ] as const) {
        expectClose(found.latency[name], of('durationMs'), share);
      }
    }),
    { numRuns: 15 },
  );
}, 120_000);

test('totals by hours are what counting the entries one by one gives, wherever a period begins and ends', async () => {
  const edges = [0, 1, HOUR_MS - 1, HOUR_MS, HOUR_MS + 1, 3 * HOUR_MS - 1, 3 * HOUR_MS, NOON - FIRST];
  const ats = [...edges, 2 * HOUR_MS, 5 * HOUR_MS].map((ms) => FIRST + ms);
  const all = ats.flatMap((at) =>
    (['GET', 'POST'] as const).flatMap((method) =>
      [200, 404, 410].map((status) => accessEvent({ at, method, status })),
    ),
  );
  await log.write(accessBatch(all));
  const instants = [null, ...edges.map((ms) => FIRST + ms)];
  const fields = [
    {},
    { method: 'POST' },
    { status: 404 },
    { statusClass: 4 },
    { statusClass: 4, status: 410, method: 'GET' },
    { statusClass: 5 },
  ];
  for (const from of instants) {
    for (const to of instants) {
      const field = fields[(instants.indexOf(from) + instants.indexOf(to)) % fields.length];
      const filter = { ...NO_FILTER, ...field, from, to };
      const expected = all.filter(
        ({ at, method, status }) =>
          (from === null || at >= from) &&
          (to === null || at < to) &&
          (filter.method === null || method === filter.method) &&
          (filter.status === null || status === filter.status) &&
          (filter.statusClass === null || Math.floor(status / 100) === filter.statusClass),
      );
      // An offset of one, so that the total is not just the length of the page.
      const { total } = await listAccess(deps, { filter, after: null, offset: 1, limit: 1, counted: true });
      expect([filter, total]).toEqual([filter, { count: expected.length, isLowerBound: false }]);
    }
  }
});

test('days without requests are there, with nothing in them', async () => {
  const found = await describeAccess(deps, { days: 30 });
  expect(found).toMatchObject({
    totalRequests: 0,
    uniqueIps: 0,
    byStatus: [],
    byMethod: [],
    hours: [],
    paths: [],
    ips: [],
    userAgents: [],
    referers: [],
    latency: { p50: null, p95: null, p99: null },
  });
  expect(found.days).toHaveLength(30);
  expect(found.days.at(-1)).toEqual({ date: '2026-11-21', requests: 0, uniqueIps: 0 });
});

test('today begins at midnight UTC', async () => {
  await log.write(accessBatch([MIDNIGHT - 1, MIDNIGHT].map((at) => accessEvent({ at }))));
  expect((await describeAccess(deps, { days: 1 })).totalRequests).toBe(1);
  expect((await describeAccess(deps, { days: 2 })).totalRequests).toBe(2);
  log.time.now = MIDNIGHT + DAY_MS;
  expect((await describeAccess(deps, { days: 1 })).totalRequests).toBe(0);
});

test('a list of the most frequent ends after twenty', async () => {
  const many = Array.from({ length: 21 }, (_, n) =>
    Array.from({ length: n + 1 }, () => accessEvent({ clientIp: `192.0.2.${n}`, path: `/public/${n}` })),
  ).flat();
  await log.write(accessBatch(many));
  const { ips, paths, uniqueIps } = await describeAccess(deps, { days: 1 });
  expect(uniqueIps).toBe(21);
  expect(ips.map(({ requests }) => requests)).toEqual(Array.from({ length: 20 }, (_, n) => 21 - n));
  expect(paths[0]).toEqual({ value: '/public/20', requests: 21 });
});

test('a percentile lies within the bucket of the exact one', () => {
  const latencies = fc.array(fc.double({ min: 0, max: 500_000, noNaN: true }), {
    minLength: 1,
    maxLength: 300,
  });
  fc.assert(
    fc.property(latencies, fc.constantFrom(0.5, 0.95, 0.99, 1), (values, share) => {
      const counts = Map.groupBy(values, bucketOf);
      const buckets = [...counts]
        .map(([bucket, { length }]) => ({ bucket, requests: length }))
        .sort((a, b) => a.bucket - b.bucket);
      expectClose(latencyAt(buckets, share), values, share);
    }),
  );
});

test('latencies beyond all measure fall into the last bucket', () => {
  expect(bucketOf(Number.MAX_VALUE)).toBe(bucketOf(1e9));
  expect(bucketOf(600_000)).toBeLessThan(bucketOf(1e9));
  expect(bucketOf(0)).toBe(0);
});

test.each([0, 1])(
  'latencies of a chart count requests, not entries, from %i ms before the full hour on',
  async (early) => {
    const at = NOON - HOUR_MS + 1;
    const sum = accessEvent({ at, requests: 97, durationMs: 50, status: 429 });
    const single = (durationMs: number) => accessEvent({ at, durationMs });
    await log.write(accessBatch([single(1), sum, single(2), single(900)]));
    const filter = { ...NO_FILTER, from: NOON - HOUR_MS - early, to: NOON };
    const { latency } = await chartAccess(deps, { filter, origin: NOON, bucketMs: HOUR_MS });
    expect(latency.p50).toBeWithin(45, 55);
    expect(latency.p95).toBeWithin(45, 55);
    expect(latency.p99).toBeWithin(45, 55);
  },
);

test('an entry that stands for several requests counts as all of them, in every figure', async () => {
  const many = accessEvent({
    requests: 1_000,
    status: 429,
    durationMs: 50,
    path: '*',
    clientIp: '192.0.2.9',
  });
  await log.write(accessBatch([accessEvent({ durationMs: 1 }), many, { ...many, requests: 1 }]));
  expect((await log.entries()).map(({ requests }) => requests).sort()).toEqual([1, 1, 1_000]);

  const found = await describeAccess(deps, { days: 1 });
  expect(found).toMatchObject({ totalRequests: 1_002, uniqueIps: 2 });
  expect(found.byStatus).toEqual([
    { value: 200, requests: 1 },
    { value: 429, requests: 1_001 },
  ]);
  expect(found.paths[0]).toEqual({ value: '*', requests: 1_001 });
  expect(found.ips[0]).toEqual({ value: '192.0.2.9', requests: 1_001 });
  expect(found.days).toMatchObject([{ requests: 1_002, uniqueIps: 2 }]);
  expect(found.latency.p50).toBeWithin(45, 55);

  for (const limit of [1, 100])
    for (const filter of [
      { status: 429 },
      { clientIp: '192.0.2.9' },
      { from: NOON - 1, to: NOON + 1, status: 429 },
    ]) {
      const page = { after: null, offset: 0, limit, counted: true };
      const { total, items } = await listAccess(deps, { filter: { ...NO_FILTER, ...filter }, ...page });
      expect(total).toEqual({ count: 1_001, isLowerBound: false });
      expect(items).toHaveLength(Math.min(limit, 2));
    }
});
