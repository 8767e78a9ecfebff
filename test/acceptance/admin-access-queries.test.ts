import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../faults/waiting.ts';
import { witness } from './support/access-log.ts';
import { shortPath } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { LOG, STATS, useOperator } from './support/operator.ts';
import { openConnection } from './support/socket.ts';

setDefaultTimeout(60_000);
const { perch, ask: asOperator, list, statistics } = useOperator();

test('a page has 1 to 1000 entries, 100 when nothing is said', async () => {
  const busy = witness(perch);
  for (let n = 0; n < 21; n++) {
    await atOnce(50, async (m) => await (await busy.request(`/admin-log/busy-${n}-${m}`)).arrayBuffer());
  }
  const query = { ua: busy.userAgent, path: '/admin-log/busy-' };
  // Two processes write them: a batch may be late while a later one is there.
  await until('all requests are logged', async () => (await list(query)).total >= 1_050);
  const first = await list(query);
  expect([first.total, first.items.length]).toEqual([1_050, 100]);
  for (const limit of [1, 250, 251, 999, 1000]) {
    const { items, nextCursor, total } = await list({ ...query, limit });
    expect([items.length, total]).toEqual([limit, 1_050]);
    expect(new Set(items.map(({ id }) => id)).size).toBe(limit);
    expect(nextCursor).not.toBe(null);
  }
  const rest = await list({ ...query, limit: 1000, offset: 50 });
  expect([rest.items.length, rest.nextCursor]).toEqual([1000, null]);
  expect(await list({ ...query, offset: 100_000 })).toMatchObject({ items: [], total: 1_050 });
});

/** The last moment that a place in the log can have: the end of the year 9998. */
const LAST_MOMENT = Date.UTC(9999, 0) - 1;
const cursorAt = (createdAt: number) => Buffer.from(`${createdAt}.1`).toString('base64url');

test('a cursor may go to the last moment there is', async () => {
  for (const at of [LAST_MOMENT - 1, LAST_MOMENT]) {
    const { items } = await list({ cursor: cursorAt(at), limit: 1 });
    expect(items).toHaveLength(1);
  }
});

test('an address is found however it is spelled', async () => {
  const client = witness(perch);
  await (
    await client.request('/spelled', { headers: { 'X-Forwarded-For': '2001:DB8:0::77' } })
  ).arrayBuffer();
  await client.logged();
  for (const ip of ['2001:db8::77', '2001:DB8:0:0:0:0:0:77']) {
    const { items } = await list({ ip, ua: client.userAgent });
    expect(items.map(({ clientIp }) => clientIp)).toEqual(['2001:db8::77']);
  }
});

describe('what no log can be asked for', () => {
  const wrong: Record<string, string[]> = {
    ip: ['localhost', '192.0.2', '192.0.2.1/24', '192.0.2.256', '2001:db8::g', "' or 1=1"],
    method: ['GET POST', 'G*T', 'X'.repeat(21)],
    status: ['99', '600', '40', '4xxx', 'xx', '0xx', '6xx', '-404', '4.4', '404,500'],
    path: ['public', 'https://example.com/', `/${'x'.repeat(500)}`, '/a\u0000b'],
    resource: [
      '.a',
      'Public/x',
      'public/',
      'public/a/b',
      'public/.hidden',
      `public/${'x'.repeat(65)}`,
      '//public',
    ],
    ua: ['x'.repeat(201), 'a\u0007b'],
    from: [
      'yesterday',
      '2026-11-31',
      '2026-02-29',
      '2026-11-21T07:20',
      '2026-11-21T24:01Z',
      '1795250421',
      '1969-12-31',
      '9999-01-01',
    ],
    to: ['2026-13-01', '2026-11-21T07:20:21', '2026-11-21Z', '+012026-01-01', '2026-11-21T07:20:21+25:00'],
    limit: ['0', '-1', '1001', '1.5', 'all', '1e3'],
    offset: ['-1', '100001', '1.5', 'x'],
    cursor: [
      'x',
      'MTIz',
      '🐦',
      `${Buffer.from('1.2').toString('base64url')}=`,
      Buffer.from('1.-2').toString('base64url'),
      cursorAt(LAST_MOMENT + 1),
      cursorAt(999_999_999_999_999),
    ],
  };
  for (const [name, values] of Object.entries(wrong)) {
    test(name, async () => {
      for (const value of values) {
        const response = await asOperator(LOG, { [name]: value });
        expect([value, response.status]).toEqual([value, 400]);
        await expectError(response, 400, 'VALIDATION_FAILED', name);
      }
    });
  }

  test('years that the log cannot have, and it says so', async () => {
    const message = 'must be of a year from 1970 to 9998.';
    for (const to of ['9999-12-31', '1969-12-31', '9999-01-01T00:00:00Z', '0000-01-01']) {
      const { details } = await expectError(await asOperator(LOG, { to }), 400, 'VALIDATION_FAILED');
      expect(details).toEqual([{ field: 'to', message }]);
    }
    for (const to of ['1970-01-01', '9998-12-31']) expect((await asOperator(LOG, { to })).status).toBe(200);
  });

  test('several at once are all named', async () => {
    const response = await asOperator(LOG, {
      ip: 'x',
      status: 'y',
      limit: 0,
      from: 'z',
      cursor: '!',
      offset: 1,
    });
    const { details } = await expectError(response, 400, 'VALIDATION_FAILED');
    expect(details?.map(({ field }) => field).sort()).toEqual([
      'cursor',
      'from',
      'ip',
      'limit',
      'offset',
      'status',
    ]);
  });

  test('a period that ends before it begins, and an offset behind a cursor', async () => {
    await expectError(
      await asOperator(LOG, { from: '2026-11-21', to: '2026-11-20' }),
      400,
      'VALIDATION_FAILED',
      'to',
    );
    const cursor = Buffer.from('1.2').toString('base64url');
    await expectError(await asOperator(LOG, { cursor, offset: 0 }), 400, 'VALIDATION_FAILED', 'offset');
    expect(await list({ cursor })).toMatchObject({ items: [], nextCursor: null });
  });

  test('an address that is none is refused also where a resource makes it count for nothing', async () => {
    const query = { resource: 'public/nothing', ip: 'x' };
    await expectError(await asOperator(LOG, query), 400, 'VALIDATION_FAILED', 'ip');
  });

  test('days outside of the retention', async () => {
    for (const days of ['0', '-1', '11', '1.5', 'week']) {
      await expectError(await asOperator(STATS, { days }), 400, 'VALIDATION_FAILED', 'days');
    }
  });

  test('what is blank counts as left out', async () => {
    const blank = Object.fromEntries(Object.keys(wrong).map((name) => [name, ' ']));
    expect((await asOperator(LOG, blank)).status).toBe(200);
    expect((await statistics({ days: '' })).perDay).toHaveLength(7);
  });
});

test('User-Agent and Referer are in the log as they were meant, in UTF-8 and in Latin-1', async () => {
  const client = witness(perch);
  const { userAgent } = client;
  const sent: Array<[text: string, encoding: 'utf8' | 'latin1']> = [
    ['Büro/1', 'utf8'],
    ['日本 😀', 'utf8'],
    ['Straße', 'latin1'],
    [`${'x'.repeat(499 - userAgent.length - 1)}😀`, 'utf8'],
  ];
  for (const [text, encoding] of sent) {
    const connection = await openConnection(perch.url);
    const head = [
      ...['GET /agents HTTP/1.1', `Host: ${new URL(perch.url).host}`, 'Connection: close'],
      ...[`User-Agent: ${userAgent} ${text}`, `Referer: https://a.example/${text}?p=${text}`],
    ];
    await connection.send(Buffer.from(`${head.join('\r\n')}\r\n\r\n`, encoding));
    await connection.response();
  }
  await client.logged();
  for (const [text] of sent.slice(0, 3)) {
    const { items } = await list({ ua: `${userAgent} ${text}` });
    const entry = { userAgent: `${userAgent} ${text}`, referer: `https://a.example/${text}?p=***` };
    expect(items).toEqual([expect.objectContaining(entry)]);
  }
  const [cut] = (await list({ ua: `${userAgent} xxx` })).items;
  expect(cut?.userAgent).toHaveLength(500);
  expect(cut?.userAgent).toEndWith('x\ufffd');
});

test('the statistics add up, and say what happened most', async () => {
  const client = witness(perch);
  const page = await perch.publish('<p>popular');
  const headers = { 'X-Forwarded-For': '198.51.100.77', Referer: 'https://popular.example/' };
  await atOnce(40, async () => await (await client.request(shortPath(page), { headers })).arrayBuffer());
  await client.logged();

  for (const [days, length] of [
    ['1', 1],
    ['2', 2],
    ['10', 10],
  ] as const) {
    expect((await statistics({ days })).perDay).toHaveLength(length);
  }
  const found = await statistics();
  const sum = (counts: Iterable<number>) => [...counts].reduce((all, one) => all + one, 0);
  const { totalRequests, byStatus, byMethod, hourlyDistribution, perDay, latencyMs } = found;
  expect(Object.keys(hourlyDistribution)).toEqual(Array.from({ length: 24 }, (_, hour) => String(hour)));
  for (const counts of [
    Object.values(byStatus),
    Object.values(byMethod),
    Object.values(hourlyDistribution),
    perDay.map(({ requests }) => requests),
  ]) {
    expect(sum(counts)).toBe(totalRequests);
  }
  expect(perDay).toHaveLength(7);
  expect(perDay.map(({ date }) => date)).toEqual(perDay.map(({ date }) => date).toSorted());
  expect(Math.max(...perDay.map(({ uniqueIps }) => uniqueIps))).toBeLessThanOrEqual(found.uniqueIps);
  expect(latencyMs.p50).toBeGreaterThan(0);
  expect(latencyMs.p95).toBeGreaterThanOrEqual(latencyMs.p50);
  expect(latencyMs.p99).toBeGreaterThanOrEqual(latencyMs.p95);
  expect(found.topPaths).toContainEqual({ path: shortPath(page), count: 40, requests: 40 });
  expect(found.topIps).toContainEqual({ ip: '198.51.100.77', count: 40, requests: 40 });
  expect(found.topReferers).toContainEqual({
    referer: 'https://popular.example/',
    count: 40,
    requests: 40,
  });
  expect(found.topUserAgents.some(({ userAgent }) => userAgent === client.userAgent)).toBe(true);
});
