import { expect, setDefaultTimeout, test } from 'bun:test';
import { withDatabase } from '../faults/blob-audit.ts';
import { modeUnderTest } from '../instance.ts';
import { ADMIN_PASSWORD } from '../shared-instance.ts';
import { type LoggedRequest, lineOf, readAccessLog, witness } from './support/access-log.ts';
import { raw, shortPath } from './support/client.ts';
import { eventually } from './support/concurrency.ts';
import { itemPath, KINDS, publishKind } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';
import { rawRequest } from './support/socket.ts';

setDefaultTimeout(180_000);
const perch = sharePerch();

test.concurrent.each(KINDS)(
  '$name: each request of an item’s life is logged once, with the item',
  async (kind) => {
    const client = witness(perch);
    const id = `logged-${kind.name}`;
    const item = await publishKind(client, kind, 'text', { query: { ns: 'log', id } });
    const owner = { headers: { 'X-Owner-Token': item.ownerToken } };
    const [short, api] = [shortPath(item), itemPath(kind, item)];
    const read = `${short}${kind.content.short}`;
    await client.request(read);
    await client.request(read, { method: 'HEAD' });
    await client.request(new URL(item.shortUrl).pathname);
    await client.request(`${api}${kind.content.api}`);
    await client.request(api, { method: 'DELETE' });
    if (kind.change !== null) {
      const { at, options } = kind.change;
      const headers = { ...options.headers, ...owner.headers };
      await client.request(`${api}${at}`, { method: 'PUT', ...options, headers });
    }
    await client.request(api, { method: 'DELETE', ...owner });
    await client.request(read);

    const found = `${kind.name} log/${id}`;
    expect((await client.logged()).map(lineOf)).toEqual([
      `POST ${kind.path}?ns=log&id=${id} 201 ${found}`,
      `GET ${read} 200 ${found}`,
      `HEAD ${read} 200 ${found}`,
      `GET ${new URL(item.shortUrl).pathname} 302 ${found}`,
      `GET ${api}${kind.content.api} 200 ${found}`,
      `DELETE ${api} 403 ${found}`,
      ...(kind.change === null ? [] : [`PUT ${api}${kind.change.at} 200 ${found}`]),
      `DELETE ${api} 204 ${found}`,
      `GET ${read} 404 -`,
    ]);
  },
);

test.concurrent('requests that meet no item, and those that fail, are logged once', async () => {
  const client = witness(perch);
  await client.request('/');
  await client.request('/docs');
  await client.request('/api/json', { query: { ns: 'log' } });
  await client.request('/public/nothing-here');
  await client.request('/api/nothing/here');
  await client.request('/s/AAAAAAA');
  await client.request('/api/html', { method: 'PATCH' });
  await client.request('/public/nothing-here', { method: 'POST' });
  await client.request('/api/html', { method: 'OPTIONS' });
  await client.request('/api/html', { method: 'POST', ...raw('{', 'application/json') });
  await client.request('/api/admin/access');
  expect((await client.logged()).map(lineOf)).toEqual([
    'GET / 200 -',
    'GET /docs 200 -',
    'GET /api/json?ns=log 200 -',
    'GET /public/nothing-here 404 -',
    'GET /api/nothing/here 405 -',
    'GET /s/AAAAAAA 404 -',
    'PATCH /api/html 405 -',
    'POST /public/nothing-here 405 -',
    'OPTIONS /api/html 204 -',
    'POST /api/html 400 -',
    'GET /api/admin/access 401 -',
  ]);
});

test.concurrent('what the owner reads of a page, and a password form, name the page', async () => {
  const client = witness(perch);
  const page = await perch.publish('<p>protected', {
    headers: { 'X-Password': 'open sesame' },
    query: { ns: 'log' },
  });
  const owner = { 'X-Owner-Token': page.ownerToken };
  const api = `/api/html${shortPath(page)}`;
  await client.request(shortPath(page));
  await client.request(`${api}/settings`, { headers: owner });
  await client.request(`${api}/source`, { headers: owner });
  const form = raw('password=open+sesame', 'application/x-www-form-urlencoded');
  await client.request(`/api${shortPath(page)}/unlock`, { method: 'POST', ...form });
  const found = `html log/${page.id}`;
  expect((await client.logged()).map(lineOf)).toEqual([
    `GET ${shortPath(page)} 403 ${found}`,
    `GET ${api}/settings 200 ${found}`,
    `GET ${api}/source 200 ${found}`,
    `POST /api${shortPath(page)}/unlock 303 ${found}`,
  ]);
});

test.concurrent('assets, health and metrics are never logged', async () => {
  const client = witness(perch);
  const home = await (await perch.request('/')).text();
  const assets = [...home.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(assets.length).toBeGreaterThan(0);
  const paths = [...assets, '/assets/none.css', '/favicon.ico', '/healthz', '/readyz', '/metrics'];
  for (const path of paths) await (await client.request(path)).arrayBuffer();
  expect(await client.logged(paths.length)).toEqual([]);
});

test.concurrent('client, time, duration and Referer are as they were', async () => {
  const client = witness(perch);
  const before = Date.now();
  await client.request('/api/json', {
    headers: { 'X-Forwarded-For': '203.0.113.7', Referer: 'https://a.example/b?q=1#part' },
  });
  const after = Date.now();
  const [entry, ...others] = await client.logged();
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    clientIp: '203.0.113.7',
    userAgent: client.userAgent,
    referer: 'https://a.example/b?q=1',
    method: 'GET',
    path: '/api/json',
    query: '',
    status: 200,
  });
  const at = Date.parse(entry?.createdAt ?? '');
  expect(at).toBeGreaterThanOrEqual(before);
  expect(at).toBeLessThanOrEqual(after);
  expect(entry?.durationMs).toBeGreaterThan(0);
});

test.concurrent('a request without a User-Agent is logged without one', async () => {
  const path = '/api/html/log/without-agent';
  await rawRequest(perch.url, `GET ${path}`, []);
  const client = witness(perch);
  await client.logged();
  const entries = await readAccessLog(perch, { path });
  expect(entries.map(({ userAgent, status, referer }) => ({ userAgent, status, referer }))).toEqual([
    { userAgent: null, status: 400, referer: null },
  ]);
});

test.concurrent.each([
  ['path', 500],
  ['query', 1_000],
  ['referer', 1_000],
  ['userAgent', 500],
] as const)('a %s is kept up to %d characters', async (field, limit) => {
  const lengths = [limit - 1, limit, limit + 1];
  const client = witness(perch);
  for (const length of lengths) {
    const path = field === 'path' ? '/api/'.padEnd(length, 'x') : '/api/long';
    const query = field === 'query' ? `?${'q='.padEnd(length, 'x')}` : '';
    const referer = field === 'referer' ? { Referer: 'https://a.example/'.padEnd(length, 'x') } : {};
    const agent = field === 'userAgent' ? { 'User-Agent': client.userAgent.padEnd(length, 'x') } : {};
    await client.request(`${path}${query}`, { headers: { ...referer, ...agent } });
  }
  expect((await client.logged()).map((entry) => entry[field]?.length)).toEqual([limit - 1, limit, limit]);
});

test.concurrent('both gateways log, each request once, also of many at once', async () => {
  const client = witness(perch);
  const { userAgent } = client;
  const paths = Array.from({ length: 1_200 }, (_, n) => `/s/none${n}`);
  let next = 0;
  const lane = async (lane: number): Promise<void> => {
    const gateway = perch.clients[lane % perch.clients.length] ?? perch;
    while (next < paths.length) {
      const path = paths[next++] ?? '';
      await (await gateway.request(path, { headers: { 'User-Agent': userAgent } })).arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, n) => lane(n)));
  await client.logged();
  const seen: LoggedRequest[] = [];
  // Batches of the other gateway come when they come.
  await eventually(async () => {
    seen.length = 0;
    for (const digit of '0123456789')
      seen.push(...(await readAccessLog(perch, { ua: userAgent, path: `/s/none${digit}` })));
    return seen.length >= paths.length;
  });
  expect(seen.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
});

const SECRET = 'aVerySecretValue';

test.concurrent('secrets are masked, and nowhere in the log', async () => {
  const client = witness(perch);
  const page = await perch.publish('<p>secrets', {
    headers: { 'X-Password': SECRET, 'X-Owner-Token': `own_${SECRET}${SECRET}` },
    query: { ns: 'log', id: 'secrets' },
  });
  const short = shortPath(page);
  const ticket = `1795000000.${SECRET.padEnd(43, 'x')}`;
  await client.request(`${short}?p=${SECRET}&raw=true`);
  await client.request(`${short}?%70=${SECRET}`);
  await client.request(`${short}?P=${SECRET}&P=${SECRET}`);
  await client.request(`/api/html?token=own_${SECRET}${SECRET}&ns=log`);
  await client.request(`${short}?ticket=${ticket}`);
  await client.request(`${short}/~${ticket}/a.css`);
  await client.request(`/api/html${short}`, { headers: { 'X-Password': SECRET, Cookie: `a=${SECRET}` } });
  await client.request('/api/html', {
    method: 'POST',
    json: { content: SECRET, title: SECRET, password: SECRET, ns: 'log' },
  });
  const referers = [
    `https://user:${SECRET}@a.example${short}/~${ticket}/?p=${SECRET}&q=1#${SECRET}`,
    `https://a.example/?password=${SECRET}&token=${SECRET}&ticket=${SECRET}`,
  ];
  for (const Referer of referers) await client.request('/api/json', { headers: { Referer } });
  await client.request('/api/admin/access', {
    headers: { 'X-Admin-Password': `${ADMIN_PASSWORD}${SECRET}` },
  });

  const logged = await client.logged();
  expect(logged.map(({ path, query, referer }) => [path, query, referer])).toEqual([
    [short, 'p=***&raw=true', null],
    [short, '%70=***', null],
    [short, 'P=***&P=***', null],
    ['/api/html', 'token=***&ns=log', null],
    [short, 'ticket=***', null],
    [`${short}/~***/a.css`, '', null],
    [`/api/html${short}`, '', null],
    ['/api/html', '', null],
    ['/api/json', '', `https://a.example${short}/~***/?p=***&q=1`],
    ['/api/json', '', 'https://a.example/?password=***&token=***&ticket=***'],
    ['/api/admin/access', '', null],
  ]);
  const everything = JSON.stringify(await readAccessLog(perch));
  expect(everything).not.toContain(SECRET);
  expect(everything).not.toContain(ADMIN_PASSWORD);
});

// The embedded database is not to be reached from outside; what writes to it is the same.
if (modeUnderTest() === 'distributed') {
  test('no table of the log has a secret', async () => {
    await withDatabase(perch.instance, async (sql) => {
      const tables = await sql<Array<{ name: string }>>`
        select table_name as name from information_schema.tables where table_name like 'access%'`;
      expect(tables.length).toBeGreaterThan(1);
      for (const { name } of tables) {
        const secret = `${SECRET}|${ADMIN_PASSWORD}`;
        const rows = await sql`select t::text from ${sql(name)} t where t::text ~ ${secret}`;
        expect(Array.from(rows)).toEqual([]);
      }
    });
  });
}
