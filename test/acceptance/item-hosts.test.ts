import { expect, test } from 'bun:test';
import { PNG_BASE64 } from '../../services/gateway/openapi/samples.ts';
import { withDatabase } from '../faults/blob-audit.ts';
import { ADMIN_PASSWORD } from '../shared-instance.ts';
import { lineOf, readAccessLog } from './support/access-log.ts';
import { ownedBy, raw, shortPath } from './support/client.ts';
import { atOnce, eventually } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { comparable, fastPathAnswers, NORMALLY } from './support/fast-paths.ts';
import { publishFile } from './support/file-client.ts';
import {
  AT_HOST,
  hostNamed,
  hostOf,
  ITEMS_DOMAIN,
  ledTo,
  OF_ITSELF,
  reportedItem,
} from './support/item-hosts.ts';
import { KINDS, publishKind } from './support/kinds.ts';
import { publishStore, putKey } from './support/kv-client.ts';
import { usePerch } from './support/perch.ts';
import { AT_ITS_HOST, putIntoQuarantine } from './support/quarantine.ts';
import { publishSite } from './support/site-client.ts';

const perch = usePerch({ env: { CONTENT_BASE_URL: `http://*.${ITEMS_DOMAIN}`, ADMIN_PASSWORD } });

/** A picture of one pixel. */
const PNG = Buffer.from(PNG_BASE64, 'base64');

const LABEL = /^[a-z0-9]{26}$/;
const SCRIPTED = '<!doctype html><title>Own</title><script>localStorage.a = 1</script>';
const protectedBy = (password: string) => ({ headers: { 'X-Password': password } });

test('the path of an item of every kind leads to a host of its own, which serves it', async () => {
  const labels = new Set<string>();
  for (const kind of KINDS) {
    const item = await publishKind(perch, kind, `own ${kind.name}`);
    const short = kind.content.short === '/' ? '' : kind.content.short;
    const target = ledTo(await perch.request(`${shortPath(item)}${short}`, { query: { x: 1 } }));
    const [label = '', ...domain] = target.hostname.split('.');
    expect([domain.join('.'), `${target.pathname}${target.search}`]).toEqual([
      ITEMS_DOMAIN,
      `${short || '/'}?x=1`,
    ]);
    expect(label).toMatch(LABEL);
    labels.add(label);
    const found = await hostNamed(perch, target.host).get(target.pathname);
    expect(found.status).toBe(200);
    expect(await found.text()).toEndWith(kind.bytesOf(`own ${kind.name}`));
    expect(ledTo(await perch.request(`${shortPath(item)}${short}`)).host).toBe(target.host);
  }
  expect(labels.size).toBe(KINDS.length);
});

test('uploaded content keeps the origin of that host, and is kept apart from other hosts', async () => {
  const page = await perch.publish(SCRIPTED);
  const found = await (await hostOf(perch, page)).get('/', { headers: AT_HOST });
  expect(found.headers.has('Content-Security-Policy')).toBe(false);
  expect(found.headers.get('Origin-Agent-Cluster')).toBe('?1');
  expect(found.headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin-allow-popups');
  expect(found.headers.get('Vary')).toContain('Sec-Fetch-Site');
  expect(found.headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(found.headers.get('Set-Cookie')).toBeNull();
  const rendered = await perch.publish(raw('# Hello', 'text/markdown'));
  const shown = await (await hostOf(perch, rendered)).get('/', { headers: AT_HOST });
  expect(shown.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
});

test('a service worker may be registered there', async () => {
  const site = await publishSite(perch, { 'index.html': '<p>entry', 'worker.js': 'self.x = 1' });
  const host = await hostOf(perch, site);
  const worker = await host.get('/worker.js', { headers: { 'Service-Worker': 'script', ...OF_ITSELF } });
  expect([worker.status, await worker.text()]).toEqual([200, 'self.x = 1']);
});

test('every path is the item’s: those of the service are not there', async () => {
  const site = await publishSite(perch, {
    'index.html': '<p>entry',
    'style.css': 'p {}',
    'api/html/index.html': 'mine',
    'assets/perch.css': 'mine too',
    '404.html': '<p>not here',
  });
  const host = await hostOf(perch, site);
  expect(await (await host.get('/style.css')).text()).toBe('p {}');
  expect(await (await host.get('/assets/perch.css')).text()).toBe('mine too');
  expect(await (await host.get('/api/html/')).text()).toBe('mine');
  const moved = await host.get('/api/html', { headers: AT_HOST });
  expect([moved.status, moved.headers.get('Location')]).toEqual([308, '/api/html/']);
  for (const path of ['/metrics', '/healthz', '/docs', '/api/stats', '/robots.txt', shortPath(site)]) {
    const missing = await host.get(path);
    expect([path, missing.status, await missing.text()]).toEqual([path, 404, '<p>not here']);
  }
  const page = await hostOf(perch, await perch.publish('<p>alone'));
  for (const path of ['/metrics', '/healthz', '/readyz', '/docs', '/api/stats', '/gallery', '/admin', '/mcp'])
    expect([path, (await page.get(path)).status]).toEqual([path, 404]);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect([method, (await page.get('/api/html', { method })).status]).toEqual([method, 405]);
  const asked = await page.get('/api/kv/public/x', { method: 'OPTIONS' });
  expect([asked.status, asked.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
});

test('the fast path for reads answers there as the normal path does', async () => {
  const host = await hostOf(perch, await perch.publish(SCRIPTED));
  // An answer from before the date of the change can be told is kept only until then.
  await Bun.sleep(2_000);
  const fast: Response[] = [];
  await eventually(async () => {
    const before = await fastPathAnswers(perch, 'reads');
    const answer = await host.get('/');
    if ((await fastPathAnswers(perch, 'reads')) > before) fast.push(answer);
    return fast.length > 0;
  });
  const normal = await comparable(await host.get('/', { headers: NORMALLY }));
  for (const answer of fast) expect(await comparable(answer)).toEqual(normal);
});

test('a store has its keys there, and no writes', async () => {
  const store = await publishStore(perch, { key: 'greeting', value: 'hello' });
  const host = await hostOf(perch, store);
  expect(await (await host.get('/greeting')).text()).toBe('hello');
  expect(await (await host.get('/')).json()).toMatchObject({ count: 1 });
  const put = (to: string) =>
    fetch(`${perch.url}/api/kv${shortPath(store)}/greeting`, {
      method: 'PUT',
      headers: {
        Host: to,
        'User-Agent': 'test',
        'Content-Type': 'application/json',
        ...ownedBy(store).headers,
      },
      body: JSON.stringify({ value: 'changed' }),
    });
  // Twice on the service's host, so that the fast path for such writes is open.
  for (const to of [new URL(perch.url).host, new URL(perch.url).host])
    expect((await put(to)).status).toBe(200);
  expect((await put(host.host)).status).toBe(405);
});

test('pages of the service about an item link to where things are', async () => {
  const page = await perch.publish(raw('# Hello', 'text/markdown', { query: { showTopBar: true } }));
  const shown = await (await (await hostOf(perch, page)).get('/', { headers: AT_HOST })).text();
  const report = `${perch.url}/report?item=${encodeURIComponent(`${page.namespace}/${page.id}`)}`;
  expect(shown).toContain('href="/?dl=true"');
  expect(shown).toContain(`href="${report}"`);
  const picture = await publishFile(perch, 'dot.png', PNG);
  const host = await hostOf(perch, picture);
  const viewer = await host.get('/', { headers: AT_HOST });
  const markup = await viewer.text();
  const [, media = ''] = /<img[^>]* src="([^"]+\?raw=true[^"]*)"/.exec(markup) ?? [];
  expect(media).toStartWith(`http://${host.host}/?raw=true`);
  expect(viewer.headers.get('Content-Security-Policy')).toContain(` ${host.host}/ data:`);
  const { search } = new URL(media.replaceAll('&amp;', '&'));
  const bytes = await host.get(`/${search}`);
  expect([bytes.status, bytes.headers.get('Content-Type'), bytes.headers.get('X-Views')]).toEqual([
    200,
    'image/png',
    '1',
  ]);
  expect(markup).toContain(`href="${perch.url}/gallery"`);
});

test('HEAD, ranges and conditional requests work there', async () => {
  const file = await publishFile(perch, 'notes.txt', '0123456789');
  const host = await hostOf(perch, file);
  const head = await host.get('/', { method: 'HEAD' });
  expect([head.status, head.headers.get('Content-Length')]).toEqual([200, '10']);
  const part = await host.get('/', { headers: { Range: 'bytes=2-4' } });
  expect([part.status, await part.text()]).toEqual([206, '234']);
  const etag = head.headers.get('ETag') ?? '';
  expect((await host.get('/', { headers: { 'If-None-Match': etag } })).status).toBe(304);
  expect((await perch.read(file, { method: 'HEAD' })).status).toBe(302);
});

test('a read by way of the path is one view, and the log has it under the path', async () => {
  const page = await perch.publish('<p>counted');
  const host = await hostOf(perch, page);
  for (const views of ['1', '2', '3']) expect((await host.get('/')).headers.get('X-Views')).toBe(views);
  await perch.read(page);
  expect((await host.get('/')).headers.get('X-Views')).toBe('4');
  await host.get('/missing');
  const logged = async () =>
    (await readAccessLog(perch, { resource: `${page.namespace}/${page.id}` })).map(lineOf);
  const path = shortPath(page);
  const of = `html ${page.namespace}/${page.id}`;
  const led = `GET ${path} 302 ${of}`;
  const read = `GET ${path} 200 ${of}`;
  const lines = [led, read, read, read, led, read, `GET ${path}/missing 404 ${of}`];
  await eventually(async () => (await logged()).length > lines.length);
  expect((await logged()).filter((line) => !line.startsWith('POST')).toSorted()).toEqual(lines.toSorted());
});

test('a read at the path of an item that stays there is one view, also after a change', async () => {
  const options = { headers: { 'X-Delivery-Mode': 'path' } };
  const viewsAt = async (path: string) => (await perch.request(path)).headers.get('X-Views');
  const store = await publishStore(perch, { key: 'greeting', value: 'hello' }, options);
  const key = `${shortPath(store)}/greeting`;
  for (const views of ['1', '2']) expect(await viewsAt(key)).toBe(views);
  // The fast path has counted the next read when it sees that the value is another one.
  expect((await putKey(perch, store, 'greeting', 'changed')).status).toBe(200);
  for (const views of ['3', '4']) expect(await viewsAt(key)).toBe(views);

  const page = await perch.publish('<p>stays', options);
  for (const views of ['1', '2']) expect(await viewsAt(shortPath(page))).toBe(views);
  await perch.api(page, { method: 'PUT', ...raw('<p>changed', 'text/html', ownedBy(page)) });
  for (const views of ['3', '4']) expect(await viewsAt(shortPath(page))).toBe(views);
  // A read that only leads on is none.
  const moved = {
    method: 'PATCH',
    ...ownedBy(page),
    json: { deliveryMode: 'subdomain', expectedVersion: 1 },
  };
  expect((await perch.request(`/api/html${shortPath(page)}/hosting`, moved)).status).toBe(200);
  const host = await hostOf(perch, page);
  expect((await host.get('/')).headers.get('X-Views')).toBe('5');
});

test('the same label leads there after many reads at once, and only one is given', async () => {
  // Made before the operator had a domain for the hosts of items.
  const page = await perch.publish('<p>older');
  await withDatabase(perch.instance, async (sql) => {
    await sql`delete from item_labels where id = ${page.id}`;
    await sql`update items set label = null, version = nextval('item_version') where id = ${page.id}`;
  });
  // The record in the cache is of the version before.
  await perch.api(page, { method: 'PUT', ...raw('<p>changed', 'text/html', ownedBy(page)) });
  const hosts = await atOnce(20, async () => ledTo(await perch.read(page)).host);
  expect(new Set(hosts).size).toBe(1);
  expect(await (await hostNamed(perch, hosts[0] ?? '').get('/')).text()).toEndWith('<p>changed');
});

test('the password is asked for on the service’s host, and a ticket opens the item once', async () => {
  const site = await publishSite(
    perch,
    { 'index.html': '<p>entry', 'app.js': 'run()' },
    protectedBy('right'),
  );
  expect((await perch.read(site)).status).toBe(403);
  expect((await perch.read(site, { query: { p: 'wrong' } })).status).toBe(403);
  const target = ledTo(await perch.request(`${shortPath(site)}/`, { query: { p: 'right', x: 1 } }));
  expect(target.searchParams.get('p')).toBeNull();
  expect(target.searchParams.get('x')).toBe('1');
  expect(target.searchParams.get('ticket')).toMatch(/^\d+\.[\w-]{21}\.[\w-]{43}$/);
  const host = hostNamed(perch, target.host);
  // Programs that look at an address before a person opens it use nothing up.
  for (const headers of [AT_HOST, {}]) {
    const looked = await host.get(`${target.pathname}${target.search}`, { method: 'HEAD', headers });
    expect([looked.status, looked.headers.get('Set-Cookie')]).toEqual([
      headers === AT_HOST ? 303 : 200,
      null,
    ]);
  }
  const entered = await host.get(`${target.pathname}${target.search}`, { headers: AT_HOST });
  expect([entered.status, entered.headers.get('Location')]).toEqual([303, `${target.origin}/?x=1`]);
  const set = entered.headers.get('Set-Cookie') ?? '';
  expect(set).toMatch(/^perch_unlock=[^;]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/);
  const cookie = { Cookie: set.split(';', 1)[0] ?? '' };
  const open = await host.get('/', { headers: { ...AT_HOST, ...cookie } });
  expect([open.status, await open.text()]).toEqual([200, '<p>entry']);
  expect(open.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
  expect((await host.get('/app.js', { headers: { ...OF_ITSELF, ...cookie } })).status).toBe(200);
  // Pages of neighbours make the browser send the cookie, too.
  for (const of of ['same-site', 'cross-site'])
    expect(
      (await host.get('/app.js', { headers: { ...OF_ITSELF, ...cookie, 'Sec-Fetch-Site': of } })).status,
    ).toBe(403);
  // A second use leads back to the form.
  const again = await host.get(`${target.pathname}${target.search}`, { headers: AT_HOST });
  expect(ledTo(again).href).toBe(`${site.url.replace(/\/$/, '')}?x=1`);
  const head = await host.get(`${target.pathname}${target.search}`, { method: 'HEAD' });
  expect(head.status).toBe(403);
  expect((await host.get('/app.js')).status).toBe(403);
});

test('a program gets what it asks for with one ticket, and a ticket is for one item', async () => {
  const page = await perch.publish('<p>secret', protectedBy('right'));
  const other = await perch.publish('<p>other', protectedBy('right'));
  const target = ledTo(await perch.read(page, protectedBy('right')));
  const elsewhere = hostNamed(perch, ledTo(await perch.read(other, protectedBy('right'))).host);
  expect((await elsewhere.get(`/${target.search}`)).status).toBe(403);
  const uses = await atOnce(
    8,
    async () => (await hostNamed(perch, target.host).get(`/${target.search}`)).status,
  );
  expect(uses.toSorted()).toEqual([200, 403, 403, 403, 403, 403, 403, 403]);
  expect((await hostNamed(perch, target.host).get('/', protectedBy('right'))).status).toBe(200);
});

test('a person without a password is led to the form, and back', async () => {
  const page = await perch.publish('<p>secret', protectedBy('right'));
  const { host } = ledTo(await perch.read(page, protectedBy('right')));
  const asked = await hostNamed(perch, host).get('/?x=1', { headers: AT_HOST });
  expect(ledTo(asked).href).toBe(`${page.url}?x=1`);
});

test('pages of neighbours do not show an item in a frame', async () => {
  const host = await hostOf(perch, await perch.publish(SCRIPTED));
  const framed = (site: string) =>
    host.get('/', { headers: { ...AT_HOST, 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Site': site } });
  // Twice: a plain read is answered by the fast path from then on.
  for (const _ of [1, 2]) {
    expect((await framed('same-site')).status).toBe(403);
    expect((await framed('same-origin')).status).toBe(200);
    expect((await framed('cross-site')).status).toBe(200);
  }
});

test('a label is no more after its item, and the next item gets another', async () => {
  const id = `again-${Date.now()}`;
  const first = await perch.publish('<p>first', { query: { id } });
  const old = await hostOf(perch, first);
  expect((await old.get('/')).status).toBe(200);
  expect((await perch.api(first, { method: 'DELETE', ...ownedBy(first) })).status).toBe(204);
  const gone = await old.get('/', { headers: AT_HOST });
  expect([gone.status, gone.headers.get('Clear-Site-Data')]).toEqual([410, '"cache", "storage"']);
  const second = await perch.publish('<p>second', { query: { id } });
  const now = await hostOf(perch, second);
  expect(now.host).not.toBe(old.host);
  expect(await (await now.get('/')).text()).toEndWith('<p>second');
  expect((await old.get('/')).status).toBe(410);

  const hidden = await perch.publish('<p>not public', { query: { ns: 'item-hosts' } });
  const its = await hostOf(perch, hidden);
  await perch.api(hidden, { method: 'DELETE', ...ownedBy(hidden) });
  expect((await its.get('/')).status).toBe(404);
  await withDatabase(perch.instance, async (sql) => {
    const rows = await sql`
      select namespace, id, retired_at is not null as retired from item_labels
      where label in (${old.host.split('.')[0] ?? ''}, ${its.host.split('.')[0] ?? ''}) order by id`;
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { namespace: 'public', id, retired: true },
      { namespace: null, id: null, retired: true },
    ]);
  });
});

test('of what is in quarantine browsers keep nothing, but what is only looked through they keep', async () => {
  for (const [cause, status, cleared] of AT_ITS_HOST) {
    const page = await perch.publish('<p>found');
    const host = await hostOf(perch, page);
    await putIntoQuarantine(perch, page, cause);
    const kept = await host.get('/', { headers: AT_HOST });
    expect([kept.status, kept.headers.get('Clear-Site-Data')]).toEqual([status, cleared]);
  }
});

test('an earlier item’s host tells nothing of a quarantine of the next one', async () => {
  const id = `next-${Date.now()}`;
  const first = await perch.publish('<p>first', { query: { id } });
  const old = await hostOf(perch, first);
  expect((await old.get('/')).status).toBe(200);
  expect((await perch.api(first, { method: 'DELETE', ...ownedBy(first) })).status).toBe(204);
  const second = await perch.publish('<p>second', { query: { id } });
  const now = await hostOf(perch, second);
  await putIntoQuarantine(perch, second, 'link');
  expect([(await old.get('/')).status, (await now.get('/')).status]).toEqual([410, 451]);
});

test('a host that no item has is not found, and neither are others', async () => {
  const unknown = hostNamed(perch, `${'a'.repeat(26)}.${ITEMS_DOMAIN}`);
  const missing = await unknown.get('/', { headers: AT_HOST });
  expect([missing.status, missing.headers.get('Clear-Site-Data')]).toEqual([404, '"cache", "storage"']);
  // Its own page is made of what is on the service's host.
  expect(missing.headers.get('Content-Security-Policy')).toContain(
    `style-src ${new URL(perch.url).host}/assets/`,
  );
  const markup = await missing.text();
  expect(markup).toContain(`href="${perch.url}/gallery"`);
  expect(markup).not.toMatch(/(?:href|src|action)="\//);
  const page = await perch.publish('<p>here');
  const { host } = await hostOf(perch, page);
  // Nothing of the service is at the domain, or anywhere below it.
  for (const name of [ITEMS_DOMAIN, `${ITEMS_DOMAIN}.:80`, `foo.${ITEMS_DOMAIN}`, `x.${host}`, host.slice(1)])
    for (const path of ['/', '/admin', '/api/limits', '/assets/perch.css', '/readyz', shortPath(page)])
      expect([name, path, (await hostNamed(perch, name).get(path)).status]).toEqual([name, path, 404]);
  // Any other name is the service's.
  const other = `${host}.evil.test`;
  expect((await hostNamed(perch, other).get('/api/limits')).status).toBe(200);
});

test('the Host may be in upper case, with a port and a dot at its end', async () => {
  const { host } = await hostOf(perch, await perch.publish('<p>here'));
  for (const name of [host.toUpperCase(), `${host}:8443`, `${host}.`, `${host}.:80`, `${host}:`]) {
    const found = await hostNamed(perch, name).get('/');
    expect([name, await found.text()]).toEqual([name, expect.stringMatching(/<p>here$/)]);
    expect([name, (await hostNamed(perch, name).get('/api/limits')).status]).toEqual([name, 404]);
  }
});

test('a report is about the item that has the host of its address, and about none of a host of somebody else’s', async () => {
  const id = `reported-${Date.now()}`;
  const page = await perch.publish('<p>reported', { query: { id } });
  const victim = await perch.publish('<p>harmless');
  const { host } = await hostOf(perch, page);
  const named = `public/${id}`;
  const addresses = ['/', '/login?x=1', shortPath(victim), `/api/html${shortPath(victim)}`].map(
    (path) => `http://${host}${path}`,
  );
  const shouted = `http://${host.toUpperCase()}:8443/`;
  for (const address of [...addresses, shouted, `http://${host}./`, page.url, `${perch.url}/${named}/part`])
    expect([address, await reportedItem(perch, address)]).toEqual([address, named]);
  const unknown = `${'a'.repeat(26)}.${ITEMS_DOMAIN}`;
  for (const other of ['evil.test', unknown, ITEMS_DOMAIN, `x.${host}`, `${host}.evil.test`, '192.0.2.7'])
    expect([other, await reportedItem(perch, `http://${other}${shortPath(victim)}`)]).toEqual([other, null]);

  // The next item at the address is another one.
  await perch.api(page, { method: 'DELETE', ...ownedBy(page) });
  expect(await reportedItem(perch, `http://${host}/`)).toBe(named);
  await perch.publish('<p>next', { query: { id } });
  expect(await reportedItem(perch, `http://${host}/`)).toBeNull();
});

test('no script of a page on an item’s host sends reports, and those of other sites do', async () => {
  const { host } = await hostOf(perch, await perch.publish('<p>reporter'));
  const json = { reportedUrl: `${perch.url}/public/bad`, category: 'spam', description: 'It sells things.' };
  const sendFrom = (Origin: string) =>
    perch.request('/api/reports', { method: 'POST', json, headers: { Origin } });
  await expectError(await sendFrom(`http://${host}`), 403, 'CROSS_SITE_FORBIDDEN');
  expect((await sendFrom('http://elsewhere.test')).status).toBe(201);
});

test('a proxy hears which names are hosts, so that it gets certificates for no others', async () => {
  const ask = async (domain: string) =>
    (await perch.request('/metrics/known-host', { query: { domain } })).status;
  const page = await perch.publish('<p>known');
  const { host } = await hostOf(perch, page);
  expect(await ask(host)).toBe(200);
  expect(await ask(host.toUpperCase())).toBe(200);
  expect(await ask(new URL(perch.url).hostname)).toBe(200);
  const unknown = [
    `${'a'.repeat(26)}.${ITEMS_DOMAIN}`,
    ITEMS_DOMAIN,
    `x.${host}`,
    `${host}.evil.test`,
    '',
    'x'.repeat(300),
  ];
  for (const name of unknown) expect([name, await ask(name)]).toEqual([name, 404]);
  await perch.api(page, { method: 'DELETE', ...ownedBy(page) });
  expect(await ask(host)).toBe(404);
});
