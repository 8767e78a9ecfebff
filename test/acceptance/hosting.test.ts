import { describe, expect, test } from 'bun:test';
import { ADMIN_PASSWORD } from '../shared-instance.ts';
import { jsonOf, ownedBy, type Published, type RequestOptions, raw, shortPath } from './support/client.ts';
import { atOnce, fresh, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { AT_HOST, hostNamed, hostOf, ITEMS_DOMAIN, ledTo, reportedItem } from './support/item-hosts.ts';
import { KINDS, type KindUnderTest, publishKind } from './support/kinds.ts';
import { publishStore, putKey } from './support/kv-client.ts';
import { type Perch, usePerch } from './support/perch.ts';
import { publishSite } from './support/site-client.ts';

/** With a domain for items, on localhost without one, and elsewhere without one. */
const perch = usePerch({ env: { CONTENT_BASE_URL: `http://*.${ITEMS_DOMAIN}` } });
const local = usePerch({ env: { BASE_URL: '', ADMIN_PASSWORD } });
const plain = usePerch({ env: { BASE_URL: 'https://perch.test' } });

/** The fields that say where an item is served. */
interface Hosting {
  deliveryMode: string;
  requestedDeliveryMode: string | null;
  effectiveDeliveryMode: string;
  deliveryModeMatched: boolean;
  hostUrl: string | null;
  access: string;
  managementLink: string;
  hostingVersion: number;
}

const asking = (deliveryMode: string, headers: Record<string, string> = {}) => ({
  headers: { 'X-Delivery-Mode': deliveryMode, ...headers },
});

const hostingPath = (kind: Pick<KindUnderTest, 'path'>, item: Published): string =>
  `${kind.path}${shortPath(item)}/hosting`;

const change = (
  client: Perch,
  kind: Pick<KindUnderTest, 'path'>,
  item: Published,
  json: unknown,
  options: RequestOptions = ownedBy(item),
) => client.request(hostingPath(kind, item), { method: 'PATCH', ...options, json });

const published = async (client: Perch, options: RequestOptions = {}): Promise<Published & Hosting> =>
  (await client.publish('<p>hosted', options)) as Published & Hosting;

/** On localhost requests name the host by which they come. */
const atLocalhost = (client: Perch) => ({ Host: `localhost:${new URL(client.url).port}` });

test('a create says where the item is served, for every kind', async () => {
  for (const kind of KINDS) {
    const asked = (await publishKind(perch, kind, 'x', asking('path'))) as Published & Hosting;
    const usual = (await publishKind(perch, kind, 'x')) as Published & Hosting;
    expect(asked).toMatchObject({
      deliveryMode: 'path',
      requestedDeliveryMode: 'path',
      effectiveDeliveryMode: 'path',
      deliveryModeMatched: true,
      hostUrl: null,
      access: 'public',
      hostingVersion: 1,
      managementLink: `${perch.url}/manage${shortPath(asked)}`,
    });
    expect(usual).toMatchObject({
      deliveryMode: 'subdomain',
      requestedDeliveryMode: null,
      effectiveDeliveryMode: 'subdomain',
      deliveryModeMatched: true,
    });
    expect(usual.hostUrl).toMatch(/^http:\/\/[a-z0-9]{26}\.items\.test\/$/);
    const answered = await perch.request(`${shortPath(asked)}${kind.content.short}`);
    expect(answered.status).toBe(200);
    const target = ledTo(await perch.request(`${shortPath(usual)}${kind.content.short}`));
    expect(`${target.origin}/`).toBe(usual.hostUrl ?? '');
    const read = await perch.request(hostingPath(kind, usual), ownedBy(usual));
    expect(read.headers.get('Cache-Control')).toBe('private, no-store');
    expect(await jsonOf(read)).toMatchObject({ id: usual.id, hostUrl: usual.hostUrl, hostingVersion: 1 });
  }
});

test('who may read an item is told', async () => {
  const query = { ns: fresh('hosting') };
  expect((await published(perch, { query })).access).toBe('unlisted');
  expect((await published(perch, asking('path', { 'X-Password': 'secret' }))).access).toBe('protected');
});

test('what is no mode is refused, and a blank one is none', async () => {
  for (const mode of ['elsewhere', 'path,subdomain'])
    await expectError(await perch.post(raw('<p>x', 'text/html', asking(mode))), 400, 'VALIDATION_FAILED');
  expect((await published(perch, asking(' '))).requestedDeliveryMode).toBeNull();
  expect((await published(perch, asking('PATH'))).requestedDeliveryMode).toBe('path');
});

test('an update, the settings of a page and a new version of a site say it, too', async () => {
  const page = await published(perch);
  const updated = await jsonOf<Hosting>(
    await perch.api(page, { method: 'PUT', ...raw('<p>new', 'text/html', ownedBy(page)) }),
  );
  expect(updated).toMatchObject({ hostUrl: page.hostUrl, hostingVersion: 1 });
  const settings = await perch.request(`/api/html${shortPath(page)}/settings`, ownedBy(page));
  expect(await jsonOf(settings)).toMatchObject({ hostUrl: page.hostUrl, deliveryMode: 'subdomain' });
  for (const name of ['json', 'site'] as const) {
    const kind = KINDS.find((one) => one.name === name) ?? KINDS[0];
    if (kind?.change == null) throw new Error(`${name} can be changed`);
    const item = (await publishKind(perch, kind, 'x')) as Published & Hosting;
    const { headers } = ownedBy(item);
    const options = { ...kind.change.options, headers: { ...kind.change.options.headers, ...headers } };
    const changed = await perch.request(`${kind.path}${shortPath(item)}`, { method: 'PUT', ...options });
    expect(await jsonOf(changed)).toMatchObject({
      hostUrl: item.hostUrl,
      effectiveDeliveryMode: 'subdomain',
    });
  }
});

test('an owner moves an item between its path and its host, which stays its own', async () => {
  for (const kind of KINDS.filter(({ name }) => name !== 'site')) {
    const item = (await publishKind(perch, kind, 'moved')) as Published & Hosting;
    const short = `${shortPath(item)}${kind.content.short}`;
    const host = hostNamed(perch, ledTo(await perch.request(short)).host);
    const moved = await jsonOf<Hosting>(
      await change(perch, kind, item, { deliveryMode: 'path', expectedVersion: 1 }),
    );
    expect(moved).toMatchObject({ effectiveDeliveryMode: 'path', hostUrl: null, hostingVersion: 2 });
    expect(await (await perch.request(short)).text()).toEndWith(kind.bytesOf('moved'));
    const back = await host.get(`${kind.content.short || '/'}?x=1`);
    expect(ledTo(back).href).toBe(`${perch.url}${short}?x=1`);
    const again = await jsonOf<Hosting>(
      await change(perch, kind, item, { deliveryMode: 'subdomain', expectedVersion: 2 }),
    );
    expect(again).toMatchObject({ hostUrl: item.hostUrl, hostingVersion: 3 });
    expect(ledTo(await perch.request(short)).host).toBe(host.host);
    expect((await host.get(kind.content.short || '/')).status).toBe(200);
  }
});

test('a stale change is refused, and of several at once one is done', async () => {
  const page = await published(perch);
  const [html] = KINDS;
  if (html === undefined) throw new Error('there are kinds');
  const answers = await atOnce(6, async (n) => {
    const deliveryMode = n % 2 === 0 ? 'path' : 'subdomain';
    return (await change(perch, html, page, { deliveryMode, expectedVersion: 1 })).status;
  });
  expect(tally(answers)).toEqual({ 200: 1, 409: 5 });
  const stale = await change(perch, html, page, { deliveryMode: 'path', expectedVersion: 1 });
  await expectError(stale, 409, 'HOSTING_CHANGED');
});

test('hosting is for the owner alone, and changes are checked', async () => {
  const page = await published(perch);
  const [html] = KINDS;
  if (html === undefined) throw new Error('there are kinds');
  await expectError(await perch.request(hostingPath(html, page)), 403, 'OWNER_TOKEN_REQUIRED');
  const foreign = { headers: { 'X-Owner-Token': 'a-token-of-nobody-here' } };
  await expectError(await perch.request(hostingPath(html, page), foreign), 403, 'OWNER_TOKEN_WRONG');
  const right = { deliveryMode: 'path', expectedVersion: 1 };
  await expectError(await change(perch, html, page, right, {}), 403, 'OWNER_TOKEN_REQUIRED');
  await expectError(await change(perch, html, page, right, foreign), 403, 'OWNER_TOKEN_WRONG');
  for (const wrong of [
    {},
    { deliveryMode: 'path' },
    { expectedVersion: 1 },
    { ...right, expectedVersion: '1' },
    { ...right, deliveryMode: 'x' },
    { ...right, expectedVersion: 0 },
  ])
    await expectError(await change(perch, html, page, wrong), 400, 'VALIDATION_FAILED');
  const site = await publishSite(perch, { 'index.html': '<p>x' });
  expect((await change(perch, { path: '/api/sites' }, site, right)).status).toBe(405);
});

test('a key of a store that is named hosting goes before', async () => {
  const store = await publishStore(perch, { key: 'first', value: 1 });
  const path = `/api/kv${shortPath(store)}/hosting`;
  expect(await jsonOf(await perch.request(path, ownedBy(store)))).toMatchObject({ hostingVersion: 1 });
  expect((await putKey(perch, store, 'hosting', 'a value')).status).toBe(200);
  expect(await jsonOf(await perch.request(path))).toMatchObject({ key: 'hosting', value: 'a value' });
  const moved = await change(perch, { path: '/api/kv' }, store, { deliveryMode: 'path', expectedVersion: 1 });
  expect(await jsonOf(moved)).toMatchObject({ effectiveDeliveryMode: 'path' });
});

test('a site on its own host is warned of nothing, one at its path as ever', async () => {
  const files = {
    'index.html': '<link rel="stylesheet" href="/style.css"><script>localStorage.a = 1</script>',
    'style.css': 'p {}',
  };
  const own = await publishSite(perch, files);
  expect(own.result?.code).toBe('success');
  expect((await publishSite(perch, files, asking('path'))).result?.code).toBe('warned');
  const host = await hostOf(perch, own);
  expect(await (await host.get('/style.css')).text()).toBe('p {}');
});

test('a repeated create gets the same host, and one that asks for another mode is another request', async () => {
  const key = { 'Idempotency-Key': crypto.randomUUID() };
  const [first, second] = [
    await published(perch, { headers: key }),
    await published(perch, { headers: key }),
  ];
  expect(second.hostUrl).toBe(first.hostUrl ?? '');
  expect((await perch.post(raw('<p>hosted', 'text/html', asking('path', key)))).status).toBe(400);
});

describe('on localhost without a setting', () => {
  test('an item has a host below it when its owner asks, and all others stay at their paths', async () => {
    const headers = atLocalhost(local);
    const usual = await published(local, { headers });
    expect(usual).toMatchObject({ deliveryMode: 'path', effectiveDeliveryMode: 'path', hostUrl: null });
    expect((await local.read(usual, { headers })).status).toBe(200);
    const own = await published(local, asking('subdomain', headers));
    const { port } = new URL(local.url);
    expect(own.hostUrl).toMatch(new RegExp(`^http://[a-z0-9]{26}\\.localhost:${port}/$`));
    const target = ledTo(await local.read(own, { headers }));
    expect(target.href).toBe(own.hostUrl ?? '');
    const found = await hostNamed(local, target.host).get('/', { headers: AT_HOST });
    expect([found.status, found.headers.has('Content-Security-Policy')]).toEqual([200, false]);
    const dotted = await hostNamed(local, target.host.replace(':', '.:')).get('/', { headers: AT_HOST });
    expect([dotted.status, await dotted.text()]).toEqual([200, await found.text()]);
    const missing = await hostNamed(local, target.host).get('/missing', { headers: AT_HOST });
    expect(await missing.text()).toContain(`href="http://localhost:${port}/gallery"`);
    const known = await local.request('/metrics/known-host', { query: { domain: target.hostname } });
    expect(known.status).toBe(200);
  });

  test('a report is about the item of such a host, or of a path on the host by which it came', async () => {
    const own = await published(local, asking('subdomain', atLocalhost(local)));
    const path = shortPath(own);
    for (const address of [`${own.hostUrl}public/other`, `${local.url}${path}`])
      expect([address, await reportedItem(local, address)]).toEqual([address, path.slice(1)]);
    for (const origin of ['http://elsewhere.test', 'http://localhost.evil.test'])
      expect([origin, await reportedItem(local, `${origin}${path}`)]).toEqual([origin, null]);
  });

  test('who came by another address is served at the path: it could not reach that host', async () => {
    const own = await published(local, asking('subdomain', atLocalhost(local)));
    for (const Host of [`127.0.0.1:${new URL(local.url).port}`, 'perch.lan:8080', 'localhost.evil.test']) {
      const found = await local.read(own, { headers: { Host } });
      expect([Host, found.status]).toEqual([Host, 200]);
      expect(found.headers.get('Content-Security-Policy')).toStartWith('sandbox');
    }
  });
});

test('a server without a domain for items says that it serves by path', async () => {
  const page = await published(plain, asking('subdomain'));
  expect(page).toMatchObject({
    deliveryMode: 'subdomain',
    requestedDeliveryMode: 'subdomain',
    effectiveDeliveryMode: 'path',
    deliveryModeMatched: false,
    hostUrl: null,
  });
  expect((await plain.read(page)).status).toBe(200);
  const label = 'a'.repeat(26);
  expect((await plain.request('/api/limits', { headers: { Host: `${label}.localhost` } })).status).toBe(200);
});
