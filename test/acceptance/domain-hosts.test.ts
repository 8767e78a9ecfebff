import { afterAll, expect, test } from 'bun:test';
import { withDatabase } from '../faults/blob-audit.ts';
import { ADMIN, ADMIN_PASSWORD } from '../shared-instance.ts';
import { lineOf, readAccessLog } from './support/access-log.ts';
import { ownedBy, type Published, raw, shortPath } from './support/client.ts';
import { atOnce, eventually } from './support/concurrency.ts';
import {
  claimed,
  domainOf,
  domainSettings,
  holdDomain,
  removeDomain,
  SERVICE_HOST,
} from './support/domains.ts';
import { type AskedHost, AT_HOST, hostNamed, ledTo, reportedItem } from './support/item-hosts.ts';
import { KINDS, publishKind } from './support/kinds.ts';
import { publishStore } from './support/kv-client.ts';
import { startNameServer } from './support/name-server.ts';
import { type Perch, usePerch } from './support/perch.ts';
import { AT_ITS_HOST, putIntoQuarantine } from './support/quarantine.ts';
import { publishSite } from './support/site-client.ts';
import { openConnection, rawRequest } from './support/socket.ts';

const names = await startNameServer();
afterAll(() => names.stop());

/** Without hosts of items: domains are a host of their own all the same. */
const perch = usePerch({ gateways: 2, env: domainSettings(names, { ADMIN_PASSWORD }) });

const limited = usePerch({
  gateways: 2,
  env: domainSettings(names, { TRUST_PROXY: '1', LIMIT_READS_PER_MINUTE: '20' }),
});

let last = 0;
const someDomain = (): string => `www.host-${++last}.example.org`;

/** The host of a domain that an item holds from now on. */
async function held(item: Published, domain = someDomain()): Promise<AskedHost> {
  await holdDomain(perch, names, item, domain);
  return hostNamed(perch, domain);
}

/** The last line: pages have their meta tags before it. */
const bodyAt = async (host: AskedHost, path = '/'): Promise<string> =>
  (await (await host.get(path)).text()).split('\n').at(-1) ?? '';

const protectedBy = (password: string) => ({ headers: { 'X-Password': password } });

test('an item of every kind is served at its domain, as at a host of its own', async () => {
  for (const kind of KINDS) {
    const item = await publishKind(perch, kind, `at home ${kind.name}`);
    const host = await held(item);
    const found = await host.get(kind.content.short || '/', { headers: AT_HOST });
    expect([kind.name, found.status]).toEqual([kind.name, 200]);
    expect(found.headers.get('Origin-Agent-Cluster')).toBe('?1');
    // At its path it stays.
    expect((await perch.request(`${shortPath(item)}${kind.content.short}`)).status).toBe(200);
  }
});

test('every path of the domain is the item’s', async () => {
  const site = await publishSite(perch, {
    'index.html': '<link rel="stylesheet" href="/style.css"><p>entry',
    'style.css': 'p {}',
    'api/html/index.html': 'mine',
    '404.html': '<p>not here',
  });
  const host = await held(site);
  expect(await bodyAt(host)).toContain('<p>entry');
  expect(await bodyAt(host, '/style.css')).toBe('p {}');
  expect(await bodyAt(host, '/api/html/')).toBe('mine');
  for (const path of ['/metrics', '/healthz', '/docs', '/gallery', '/robots.txt', shortPath(site)]) {
    const missing = await host.get(path);
    expect([path, missing.status, await missing.text()]).toEqual([path, 404, '<p>not here']);
  }
  const store = await held(await publishStore(perch, { key: 'greeting', value: 'hello' }));
  expect(await bodyAt(store, '/greeting')).toBe('hello');
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect([method, (await store.get('/api/html', { method })).status]).toEqual([method, 405]);
});

test('what is uploaded keeps the origin of the domain, and links lead to the service’s own host', async () => {
  const page = await perch.publish('<!doctype html><script>localStorage.a = 1</script>');
  const found = await (await held(page)).get('/', { headers: AT_HOST });
  expect(found.headers.has('Content-Security-Policy')).toBe(false);
  const shown = await perch.publish(raw('# Hello', 'text/markdown', { query: { showTopBar: true } }));
  const markup = await (await (await held(shown)).get('/', { headers: AT_HOST })).text();
  expect(markup).toContain(
    `href="https://${SERVICE_HOST}/report?item=${encodeURIComponent(`public/${shown.id}`)}"`,
  );
});

test('the Host may be in upper case, with a port and a dot at its end', async () => {
  const page = await perch.publish('<p>here');
  const { host } = await held(page);
  for (const name of [host.toUpperCase(), `${host}:8443`, `${host}.`, `${host}.:80`, `${host}:`])
    expect([name, await bodyAt(hostNamed(perch, name))]).toEqual([name, '<p>here']);
  for (const name of [`x.${host}`, host.slice(4), `${host}.evil.org`, '192.0.2.7', 'localhost'])
    expect([name, (await hostNamed(perch, name).get('/api/limits')).status]).toEqual([name, 200]);
});

test('views are counted once, changes are seen at once, and the log has the path', async () => {
  const page = await perch.publish('<p>counted');
  const host = await held(page);
  // The third comes on the fast path for reads.
  for (const views of ['1', '2', '3']) expect((await host.get('/')).headers.get('X-Views')).toBe(views);
  await perch.api(page, { method: 'PUT', ...raw('<p>changed', 'text/html', ownedBy(page)) });
  const changed = await host.get('/');
  expect(changed.headers.get('X-Views')).toBe('4');
  expect(await changed.text()).toEndWith('<p>changed');
  const line = `GET ${shortPath(page)} 200 html ${page.namespace}/${page.id}`;
  await eventually(async () => {
    const lines = await readAccessLog(perch, { resource: `${page.namespace}/${page.id}` });
    return lines.filter((one) => lineOf(one) === line).length === 4;
  });
});

test('the first read at a domain counts once, and what is never limited is not refused for its name', async () => {
  const page = await limited.publish('<p>counted once');
  const domain = someDomain();
  await holdDomain(limited, names, page, domain);
  const client = { headers: { 'X-Forwarded-For': '198.51.100.77' } };
  const remaining = async (at: Pick<Perch, 'url'>): Promise<number> =>
    Number((await hostNamed(at, domain).get('/', client)).headers.get('RateLimit-Remaining'));
  // The second gateway has to ask whose the name is.
  const before = await remaining(limited);
  expect(await remaining(limited.last)).toBe(before - 1);

  const refused = { headers: { 'X-Forwarded-For': '198.51.100.78' } };
  const nobodys = () => hostNamed(limited, `nobody-${crypto.randomUUID()}.example.org`);
  await eventually(async () => (await nobodys().get('/', refused)).status === 429);
  expect((await nobodys().get('/healthz', refused)).status).toBe(200);
  const preflight = await nobodys().get('/api/html', { ...refused, method: 'OPTIONS' });
  expect([preflight.status, preflight.headers.get('RateLimit-Remaining')]).toEqual([204, null]);
});

test('a pending domain is the service’s, as every name is, until it is verified', async () => {
  const page = await perch.publish('<p>soon');
  const domain = someDomain();
  const host = hostNamed(perch, domain);
  const { record } = await claimed(perch, page, domain);
  expect((await host.get('/api/limits')).status).toBe(200);
  names.setTexts(record.name, record.value);
  expect((await claimed(perch, page, domain)).state).toBe('verified');
  await eventually(async () => (await bodyAt(host)) === '<p>soon');
  // A path that the service would have answered before.
  expect((await host.get('/api/limits')).status).toBe(404);
});

test('every gateway hears when a domain comes, goes, and is another item’s', async () => {
  const [first, second] = [await perch.publish('<p>first'), await perch.publish('<p>second')];
  const domain = someDomain();
  const record = await holdDomain(perch, names, first, domain);
  const hosts = perch.clients.map((client) => hostNamed(client, domain));
  for (const host of hosts) for (const _ of [1, 2]) expect(await bodyAt(host)).toBe('<p>first');
  const other = await claimed(perch, second, domain);
  names.setTexts(record.name, other.record.value);
  expect((await claimed(perch, second, domain)).state).toBe('active');
  for (const host of hosts) for (const _ of [1, 2]) expect(await bodyAt(host)).toBe('<p>second');
  expect((await removeDomain(perch, second)).status).toBe(204);
  for (const host of hosts) expect((await host.get('/')).status).toBe(410);
});

test('a domain that a gateway has met as another item’s is that item’s at every address, views and all', async () => {
  const [first, second] = [await perch.publish('<p>first'), await perch.publish('<p>second')];
  const domain = someDomain();
  const record = await holdDomain(perch, names, first, domain);
  const host = hostNamed(perch, domain);
  // From the second on they come on the fast path for reads, which has an answer for this address.
  for (const views of ['1', '2', '3']) expect((await host.get('/')).headers.get('X-Views')).toBe(views);
  const other = await claimed(perch, second, domain);
  names.setTexts(record.name, other.record.value);
  expect((await claimed(perch, second, domain)).state).toBe('active');
  for (const [path, views] of [
    ['/?another', '1'],
    ['/', '2'],
    ['/', '3'],
  ] as const) {
    const found = await host.get(path);
    expect([path, found.headers.get('X-Views')]).toEqual([path, views]);
    expect(await found.text()).toEndWith('<p>second');
  }
  expect((await perch.read(first)).headers.get('X-Views')).toBe('4');
});

test.each([
  ['link', 451],
  ['unscanned', 503],
] as const)(
  'a quarantine (%s) of who held a domain before is none of who holds it now',
  async (cause, status) => {
    const [first, second] = [await perch.publish('<p>first'), await perch.publish('<p>second')];
    const domain = someDomain();
    const record = await holdDomain(perch, names, first, domain);
    const hosts = perch.clients.map((client) => hostNamed(client, domain));
    for (const host of hosts) expect(await bodyAt(host)).toBe('<p>first');
    const other = await claimed(perch, second, domain);
    names.setTexts(record.name, other.record.value);
    expect((await claimed(perch, second, domain)).state).toBe('active');
    await putIntoQuarantine(perch, first, cause);
    for (const client of perch.clients) expect((await client.read(first)).status).toBe(status);
    for (const host of hosts)
      for (const _ of [1, 2]) {
        const found = await host.get('/');
        expect([found.status, found.headers.get('Clear-Site-Data')]).toEqual([200, null]);
        expect(await found.text()).toEndWith('<p>second');
      }
  },
);

test('a gateway that hears of a domain after its end serves nobody there', async () => {
  const page = await perch.publish('<p>short');
  const domain = someDomain();
  await holdDomain(perch, names, page, domain);
  expect(await bodyAt(hostNamed(perch, domain))).toBe('<p>short');
  expect((await removeDomain(perch, page)).status).toBe(204);
  const others = perch.clients.slice(1);
  for (const client of others) expect((await hostNamed(client, domain).get('/api/limits')).status).toBe(200);
});

test('many first readers at once all get the item', async () => {
  const host = await held(await perch.publish('<p>at once'));
  const bodies = await atOnce(20, () => bodyAt(host));
  expect(new Set(bodies)).toEqual(new Set(['<p>at once']));
});

test('a lost domain is served on', async () => {
  const page = await perch.publish('<p>lost');
  const host = await held(page);
  names.setTexts(`_perch-challenge.${host.host}`);
  expect((await claimed(perch, page, host.host)).state).toBe('lost');
  expect(await bodyAt(host)).toBe('<p>lost');
});

test('what the operator hides, and what expires, is gone at its domain, too', async () => {
  const operator = { headers: ADMIN };
  const page = await perch.publish('<p>hidden');
  const host = await held(page);
  const act = (action: string) =>
    perch.request(`/api/admin/items${shortPath(page)}/${action}`, {
      method: 'POST',
      ...operator,
      json: { note: 'x' },
    });
  expect((await act('hide')).status).toBe(200);
  const gone = await host.get('/', { headers: AT_HOST });
  expect([gone.status, gone.headers.get('Clear-Site-Data')]).toEqual([410, '"cache", "storage"']);
  expect((await domainOf(perch, page)).state).toBe('active');
  expect((await act('show')).status).toBe(200);
  expect(await bodyAt(host)).toBe('<p>hidden');

  const short = await perch.publish('<p>short-lived', { query: { ns: 'short-lives' } });
  const its = await held(short);
  await withDatabase(perch.instance, async (sql) => {
    await sql`
      update items set expires_at = now() - interval '1 second', version = nextval('item_version')
      where id = ${short.id}`;
    await eventually(async () => (await its.get('/')).status === 404);
    await eventually(
      async () => (await sql`select 1 from item_domains where domain = ${its.host}`).length === 0,
    );
  });
});

test('of what is in quarantine browsers keep nothing, but what is only looked through they keep', async () => {
  for (const [cause, status, cleared] of AT_ITS_HOST) {
    const page = await perch.publish('<p>found');
    const host = await held(page);
    await putIntoQuarantine(perch, page, cause);
    for (const _ of [1, 2]) {
      const kept = await host.get('/', { headers: AT_HOST });
      expect([kept.status, kept.headers.get('Clear-Site-Data')]).toEqual([status, cleared]);
    }
  }
  // The domain is a second item’s by now, and a gateway has yet to see that.
  const [first, second] = [await perch.publish('<p>first'), await perch.publish('<p>second')];
  const host = await held(first);
  expect(await bodyAt(host)).toBe('<p>first');
  const { record } = await claimed(perch, second, host.host);
  names.setTexts(record.name, record.value);
  expect((await claimed(perch, second, host.host)).state).toBe('active');
  await putIntoQuarantine(perch, second, 'link');
  const kept = await host.get('/', { headers: AT_HOST });
  expect([kept.status, kept.headers.get('Clear-Site-Data')]).toEqual([451, '"cache", "storage"']);
});

test('the password is asked for on the service’s host, and a ticket opens the item once', async () => {
  const site = await publishSite(
    perch,
    { 'index.html': '<p>entry', 'app.js': 'run()' },
    protectedBy('right'),
  );
  const host = await held(site);
  const asked = ledTo(await host.get('/?x=1', { headers: AT_HOST }));
  expect(asked.href).toBe(`https://${SERVICE_HOST}${shortPath(site)}?x=1&at=${host.host}`);
  const form = await perch.request(`${asked.pathname}${asked.search}`, { headers: AT_HOST });
  expect(form.status).toBe(403);
  expect(form.headers.get('Content-Security-Policy')).toContain(`form-action 'self' https://${host.host}`);

  const target = ledTo(
    await perch.request(`${shortPath(site)}/`, { query: { p: 'right', x: 1, at: host.host } }),
  );
  expect(target.origin).toBe(`https://${host.host}`);
  expect([...target.searchParams.keys()]).toEqual(['x', 'ticket']);
  const entered = await host.get(`${target.pathname}${target.search}`, { headers: AT_HOST });
  expect([entered.status, entered.headers.get('Location')]).toEqual([303, `https://${host.host}/?x=1`]);
  const set = entered.headers.get('Set-Cookie') ?? '';
  expect(set).toMatch(/; Path=\/; .*Secure/);
  const cookie = { Cookie: set.split(';', 1)[0] ?? '' };
  expect((await host.get('/', { headers: { ...AT_HOST, ...cookie } })).status).toBe(200);
  expect(ledTo(await host.get(`${target.pathname}${target.search}`, { headers: AT_HOST })).hostname).toBe(
    SERVICE_HOST,
  );
  // To another domain than its own nobody is led.
  const elsewhere = await perch.request(`${shortPath(site)}/`, {
    query: { p: 'right', at: 'evil.example.org' },
  });
  expect(elsewhere.status).toBe(200);
});

test('nobody is led from the service to a domain whose record has gone', async () => {
  const page = await perch.publish('<p>secret', protectedBy('right'));
  const { host } = await held(page);
  const domain = await domainOf(perch, page);
  const enter = (password: string) =>
    perch.request(shortPath(page), { headers: AT_HOST, query: { p: password, at: host } });
  expect(ledTo(await enter('right')).host).toBe(host);
  names.setTexts(domain.record.name);
  expect((await claimed(perch, page, host)).state).toBe('lost');
  const asked = ledTo(await hostNamed(perch, host).get('/', { headers: AT_HOST }));
  expect(asked.hostname).toBe(SERVICE_HOST);
  const form = await perch.request(`${asked.pathname}${asked.search}`, { headers: AT_HOST });
  expect([form.status, form.headers.get('Content-Security-Policy')?.includes(host)]).toEqual([403, false]);
  expect((await enter('wrong')).status).toBe(403);
  const read = await enter('right');
  expect([read.status, read.headers.get('Location')]).toEqual([200, null]);
  expect(await read.text()).toEndWith('<p>secret');
  const open = await perch.publish('<p>open');
  const its = await held(open);
  names.setTexts((await domainOf(perch, open)).record.name);
  await claimed(perch, open, its.host);
  expect((await perch.request(shortPath(open), { query: { at: its.host } })).status).toBe(200);
  // The record comes back.
  names.setTexts(domain.record.name, domain.record.value);
  expect((await claimed(perch, page, host)).state).toBe('active');
  expect(ledTo(await enter('right')).host).toBe(host);
});

test('a ticket leads to no other host, whatever the path', async () => {
  const page = await perch.publish('<p>secret', protectedBy('right'));
  const { host } = await held(page);
  for (const path of ['//evil.example/', '/\\evil.example/', '///evil.example', '/\\/evil.example/%2e%2e']) {
    const line = `GET ${shortPath(page)}${path}?at=${host}&p=right`;
    const led = await rawRequest(perch.url, line, ['User-Agent: test']);
    const { origin, search } = new URL(led.headers.location ?? '');
    expect([path, led.status, origin]).toEqual([path, 302, `https://${host}`]);
    const browser = ['User-Agent: test', 'Accept: text/html', 'Sec-Fetch-Dest: document'];
    const connection = await openConnection(perch.url);
    const head = [`GET ${path}${search} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...browser];
    await connection.send(`${head.join('\r\n')}\r\n\r\n`);
    const entered = await connection.response();
    expect([path, entered.status]).toEqual([path, 303]);
    const target = new URL(entered.headers.location ?? '', `https://${host}`);
    expect([path, target.origin]).toEqual([path, `https://${host}`]);
    expect(target.pathname).not.toStartWith('//');
  }
});

test('a report is about the item that holds the domain of its address, while its record is there', async () => {
  const page = await perch.publish('<p>reported');
  const victim = shortPath(await perch.publish('<p>harmless'));
  const { host } = await held(page);
  for (const address of [`https://${host}/login`, `http://${host.toUpperCase()}.:8443${victim}`, page.url])
    expect([address, await reportedItem(perch, address)]).toEqual([address, `public/${page.id}`]);
  const own = [`https://${SERVICE_HOST}:8443${victim}`, `http://www.${SERVICE_HOST}${victim}`];
  for (const address of own)
    expect([address, await reportedItem(perch, address)]).toEqual([address, victim.slice(1)]);
  const others = [
    perch.url,
    `https://${host.slice(4)}`,
    `https://${someDomain()}`,
    `https://x.${SERVICE_HOST}`,
  ];
  for (const origin of others)
    expect([origin, await reportedItem(perch, `${origin}${victim}`)]).toEqual([origin, null]);
  names.setTexts((await domainOf(perch, page)).record.name);
  await claimed(perch, page, host);
  expect(await reportedItem(perch, `https://${host}/login`)).toBeNull();
});

test('a proxy gets certificates for domains whose record is there, and for no others', async () => {
  const ask = async (domain: string) =>
    (await perch.request('/metrics/known-host', { query: { domain } })).status;
  const page = await perch.publish('<p>known');
  const domain = someDomain();
  const { record } = await claimed(perch, page, domain);
  expect(await ask(domain)).toBe(404);
  names.setTexts(record.name, record.value);
  await claimed(perch, page, domain);
  expect(await ask(domain)).toBe(200);
  expect(await ask(domain.toUpperCase())).toBe(200);
  for (const name of [`x.${domain}`, 'example.org', '192.0.2.1', 'com'])
    expect([name, await ask(name)]).toEqual([name, 404]);
  names.setTexts(record.name);
  await claimed(perch, page, domain);
  expect(await ask(domain)).toBe(404);
  names.setTexts(record.name, record.value);
  await claimed(perch, page, domain);
  expect(await ask(domain)).toBe(200);
  await perch.api(page, { method: 'DELETE', ...ownedBy(page) });
  expect(await ask(domain)).toBe(404);
});

test('the service’s own host, and names that nobody can claim, are asked of nobody', async () => {
  const page: Perch = perch;
  for (const name of [
    SERVICE_HOST,
    `${SERVICE_HOST}:443`,
    'gateway',
    'gateway.internal',
    '127.0.0.1:80',
    '[::1]',
  ])
    expect([name, (await hostNamed(page, name).get('/healthz')).status]).toEqual([name, 200]);
});
