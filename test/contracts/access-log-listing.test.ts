import { beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { COUNT_BOUND, HOUR_BOUND } from '../../services/analytics/entry-count.ts';
import { listAccess } from '../../services/analytics/operations/access-log.ts';
import { KEPT_ADDRESSES } from '../../services/analytics/repository/rankings.ts';
import { newestSince } from '../../services/analytics/repository/rows.ts';
import {
  type AccessEvent,
  type AccessFilter,
  type AccessPlace,
  NO_FILTER,
} from '../../shared/contracts/access-log.ts';
import { accessEvent, NOON } from '../access-events.ts';
import { accessBatch, DAY_MS, HOUR_MS, useAccessLog } from './access-log-operations.ts';

const log = useAccessLog();
const { deps } = log;
beforeEach(() => log.clear());

interface Asked {
  after?: AccessPlace | null;
  offset?: number;
  limit?: number;
  counted?: boolean;
}

const list = (
  filter: Partial<AccessFilter> = {},
  { after = null, offset = 0, limit = 100, counted = true }: Asked = {},
) => listAccess(deps, { filter: { ...NO_FILTER, ...filter }, after, offset, limit, counted });

const ids = (found: { items: Array<{ requestId: string }> }) => found.items.map(({ requestId }) => requestId);

const isAbout = (event: AccessEvent, item: NonNullable<AccessFilter['resource']>): boolean =>
  item.isAlsoId === true
    ? [event.resourceNamespace, event.resourceId].includes(item.namespace)
    : event.resourceNamespace === item.namespace && (item.id === null || event.resourceId === item.id);

/** The filters, as anybody would write them down. */
const passes = (event: AccessEvent, filter: AccessFilter): boolean =>
  (filter.clientIp === null || event.clientIp === filter.clientIp) &&
  (filter.method === null || event.method === filter.method) &&
  (filter.status === null || event.status === filter.status) &&
  (filter.statusClass === null || String(event.status)[0] === String(filter.statusClass)) &&
  (filter.pathPrefix === null || event.path.startsWith(filter.pathPrefix)) &&
  (filter.resource === null || isAbout(event, filter.resource)) &&
  (filter.userAgent === null ||
    (event.userAgent ?? '').toLowerCase().includes(filter.userAgent.toLowerCase())) &&
  (filter.from === null || event.at >= filter.from) &&
  (filter.to === null || event.at < filter.to);

const LONG = `/public/${'p'.repeat(100)}`;

/** Mostly the first, so that many entries are alike. */
const mostly = <T>(first: T, ...others: T[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(first) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

const events = fc.array(
  fc.record({
    at: fc.constantFrom(
      NOON,
      NOON - 1,
      NOON - 300,
      NOON - 1_001,
      NOON - HOUR_MS,
      NOON - DAY_MS,
      NOON - 3 * DAY_MS,
    ),
    clientIp: fc.constantFrom('192.0.2.1', '192.0.2.10', '2001:db8::1'),
    method: mostly('GET', 'HEAD', 'POST'),
    status: mostly(200, 201, 304, 400, 404, 503),
    path: mostly('/public/a', '/', '/public/a%20b', '/public/ab', '/public/_b', `${LONG}a`, `${LONG}b`),
    userAgent: fc.constantFrom('Mozilla/5.0 (X11)', 'curl/8.5', 'a%b_c\\d', null),
    referer: mostly(null, 'https://example.com/', 'https://example.org/{"a",b}'),
    requests: mostly(1, 7),
    resourceNamespace: mostly('public', 'team-notes'),
    resourceId: mostly('page', 'other', 'public'),
  }),
  { maxLength: 60 },
);

const optional = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { freq: 2 });
const filters: fc.Arbitrary<AccessFilter> = fc.record({
  clientIp: optional('192.0.2.1', '198.51.100.1'),
  method: optional('GET', 'POST', 'DELETE'),
  status: optional(200, 404, 500),
  statusClass: optional(2, 4, 5),
  pathPrefix: optional('/', '/public/a', '/public/a%', '/public/_', '/public/A', LONG, `${LONG}a`),
  resource: optional<NonNullable<AccessFilter['resource']>>(
    { namespace: 'public', id: 'page' },
    { namespace: 'team-notes', id: null },
    { namespace: 'public', id: null, isAlsoId: true },
  ),
  userAgent: optional('MOZILLA', 'curl/8.5', '%', '_', '\\', 'x%y'),
  from: optional(NOON - DAY_MS, NOON - 1, NOON + 1),
  to: optional(NOON, NOON - DAY_MS),
});

const newestFirst = (a: { createdAt: number; id: number }, b: { createdAt: number; id: number }): number =>
  b.createdAt - a.createdAt || b.id - a.id;

test('every combination of filters finds what passes them all, newest first, and counts it', async () => {
  await fc.assert(
    fc.asyncProperty(events, fc.array(filters, { minLength: 5, maxLength: 15 }), async (changes, asked) => {
      await log.clear();
      const all = changes.map((change, n) => accessEvent({ ...change, requestId: String(n) }));
      await log.write(accessBatch(all));
      const written = new Map(
        all.map(({ at, viewed: _, ...event }) => [event.requestId, { ...event, createdAt: at }]),
      );
      for (const filter of asked) {
        const expected = all.filter((event) => passes(event, filter));
        const count = expected.reduce((sum, { requests = 1 }) => sum + requests, 0);
        const found = await list(filter);
        expect([filter, ids(found).toSorted()]).toEqual([
          filter,
          expected.map(({ requestId }) => requestId).toSorted(),
        ]);
        expect(found.items).toEqual(found.items.toSorted(newestFirst));
        for (const { id: _, ...entry } of found.items)
          expect(entry).toEqual(written.get(entry.requestId) as never);
        expect(found).toMatchObject({ more: false, total: { count, isLowerBound: false } });
        const part = await list(filter, { limit: 2, offset: 1 });
        expect(part.items).toEqual(found.items.slice(1, 3));
        expect(part).toMatchObject({ more: expected.length > 3, total: { count } });
        const [, second] = found.items;
        if (second !== undefined)
          expect((await list(filter, { after: second })).items).toEqual(found.items.slice(2));
      }
    }),
    { numRuns: 15 },
  );
}, 120_000);

test('the newest entries are looked for up to a bound of those that are looked at', async () => {
  const clients = ['192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.3'];
  // Five rows of four entries, one a second.
  const all = [0, 1, 2, 3, 4].flatMap((row) =>
    clients.map((clientIp, n) => accessEvent({ at: NOON - row * 1_000 - 900 + n * 100, clientIp })),
  );
  await log.write(accessBatch(all));
  const since = (filter: Partial<AccessFilter>, wanted: number, maxLookedAt?: number) =>
    newestSince(
      deps.sql,
      { ...NO_FILTER, ...filter },
      { after: null, wanted, ...(maxLookedAt === undefined ? {} : { maxLookedAt }) },
    );
  const oldestOf = (rows: number): number => NOON - (rows - 1) * 1_000 - 900;
  const second = { clientIp: '192.0.2.2' };
  expect(await since({}, 8)).toEqual({ since: oldestOf(2), isAll: false });
  expect(await since({}, 9)).toEqual({ since: oldestOf(3), isAll: false });
  expect(await since({}, 20)).toEqual({ since: oldestOf(5), isAll: false });
  expect(await since({}, 21)).toEqual({ since: oldestOf(5), isAll: true });
  expect(await since(second, 4)).toEqual({ since: oldestOf(2), isAll: false });
  expect(await since(second, 11)).toEqual({ since: oldestOf(5), isAll: true });
  expect(await since(second, 11, 12)).toEqual({ since: oldestOf(3), isAll: false });
  expect(await since(second, 11, 21)).toEqual({ since: oldestOf(5), isAll: true });
  expect(await since({ userAgent: 'test' }, 3)).toEqual({ since: oldestOf(3), isAll: false });
  expect(await since({ from: NOON - 800 }, 9)).toEqual({ since: NOON - 800, isAll: true });
  expect(await since({ method: 'PUT' }, 1)).toMatchObject({ isAll: true });
});

describe('pages', () => {
  const numbered = (from: number, to: number, at: (n: number) => number) =>
    Array.from({ length: to - from }, (_, n) =>
      accessEvent({ at: at(from + n), requestId: String(from + n) }),
    );

  test('behind one another hold each entry once, whatever is added meanwhile', async () => {
    // Many of one instant, and of several days.
    const at = (n: number) => NOON - Math.floor(n / 40) * (DAY_MS / 2);
    await log.write(accessBatch(numbered(0, 200, at)));
    const seen: string[] = [];
    let after: AccessPlace | null = null;
    for (let more = true, round = 0; more; round++) {
      const page = await list({ userAgent: 'Test' }, { after, limit: 23 });
      seen.push(...ids(page));
      after = page.items.at(-1) ?? null;
      more = page.more;
      // Newer ones, one of the very instant, and late ones of days long past.
      log.time.now += 1;
      await log.write(
        accessBatch([
          accessEvent({ at: log.time.now, userAgent: 'Test added', requestId: `new ${round}` }),
          accessEvent({ at: NOON, requestId: `same ${round}` }),
        ]),
      );
    }
    const first = seen.filter((id) => /^\d+$/.test(id));
    expect(first.toSorted((a, b) => Number(a) - Number(b))).toEqual(
      numbered(0, 200, at).map(({ requestId }) => requestId),
    );
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.some((id) => id.startsWith('new'))).toBe(false);
  });

  test('say whether more follows: limit −1, 0, +1', async () => {
    await log.write(accessBatch(numbered(0, 10, () => NOON)));
    for (const [limit, more] of [
      [9, true],
      [10, false],
      [11, false],
    ] as const) {
      const page = await list({}, { limit });
      expect([limit, page.more, page.items.length]).toEqual([limit, more, Math.min(limit, 10)]);
      expect(page.total?.count).toBe(10);
    }
    expect(await list({}, { offset: 9 })).toMatchObject({ more: false, total: { count: 10 } });
    expect(await list({}, { offset: 10 })).toMatchObject({ items: [], more: false, total: { count: 10 } });
    expect((await list({}, { counted: false })).total).toBe(null);
  });
});

describe('the total', () => {
  const ROWS_AT_ONCE = 10_000;
  /** Further entries of the address and path that a first one was written with, which the roll-ups know. */
  const add = async (count: number): Promise<void> => {
    // A statement has five seconds, on a busy machine as well.
    for (let left = count; left > 0; left -= ROWS_AT_ONCE)
      await deps.sql`
        insert into access_log (created_at, request_id, client_ip, user_agent, method, path, query, status, duration_ms)
        select ${NOON}::timestamptz, '', '192.0.2.1', 'Test', 'GET', '/', '', 200, 1
        from generate_series(1, ${Math.min(left, ROWS_AT_ONCE)}::int)`;
    await deps.sql`update access_hours set requests = requests + ${count}`;
    await deps.sql`update access_day_ips set requests = requests + ${count}`;
  };
  const total = async (filter: Partial<AccessFilter>) => (await list(filter, { limit: 1 })).total;
  const ofClient = { clientIp: '192.0.2.1' };
  /** Filters under which entries are looked up, each by itself: no roll-up knows them, or not so finely. */
  const lookedUp: Array<Partial<AccessFilter>> = [
    { pathPrefix: '/' },
    { userAgent: 'test' },
    { ...ofClient, method: 'GET' },
    { ...ofClient, to: NOON + HOUR_MS },
    { ...ofClient, from: NOON },
  ];

  test('of entries that are looked up is counted up to a bound, of an address and by time it is exact: bound −1, 0, +1', async () => {
    await log.write(accessBatch([accessEvent()]));
    const expectTotal = async (count: number, isLowerBound: boolean): Promise<void> => {
      for (const filter of lookedUp)
        expect([filter, await total(filter)]).toEqual([filter, { count, isLowerBound }]);
    };
    await add(COUNT_BOUND - 2);
    await expectTotal(COUNT_BOUND - 1, false);
    await add(1);
    await expectTotal(COUNT_BOUND, false);
    await add(1);
    await expectTotal(COUNT_BOUND, true);
    const all = { count: COUNT_BOUND + 1, isLowerBound: false };
    for (const filter of [{}, { from: NOON - DAY_MS, to: NOON + DAY_MS }, { to: NOON + DAY_MS / 2 }]) {
      expect(await total(filter)).toEqual(all);
      expect(await total({ ...ofClient, ...filter })).toEqual(all);
    }
  }, 60_000);

  test('of a begun hour is counted up to a bound: bound −1, 0, +1', async () => {
    const half = { to: NOON + HOUR_MS / 2 };
    await log.write(accessBatch([accessEvent()]));
    await add(HOUR_BOUND - 2);
    expect(await total(half)).toEqual({ count: HOUR_BOUND - 1, isLowerBound: false });
    await add(1);
    expect(await total({ ...half, status: 200 })).toEqual({ count: HOUR_BOUND, isLowerBound: false });
    await add(1);
    expect(await total(half)).toEqual({ count: HOUR_BOUND, isLowerBound: true });
  }, 60_000);

  test('of an address that the roll-ups have forgotten, as a day had many, is counted there', async () => {
    const events = [0, 0, 1, 1, 1].map((days) => accessEvent({ at: NOON - days * DAY_MS }));
    await log.write(accessBatch(events));
    await deps.sql`delete from access_day_ips where day < (select max(day) from access_days)`;
    // Not forgotten: of a day with so few addresses none is.
    expect(await total(ofClient)).toEqual({ count: 2, isLowerBound: false });
    for (const [clients, count] of [
      [KEPT_ADDRESSES, 2],
      [KEPT_ADDRESSES + 1, 5],
    ] as const) {
      await deps.sql`update access_days set clients = ${clients}`;
      expect([clients, await total(ofClient)]).toEqual([clients, { count, isLowerBound: false }]);
    }
    expect(await total({ ...ofClient, from: NOON - 3 * DAY_MS, to: NOON })).toMatchObject({ count: 3 });
  });
});
