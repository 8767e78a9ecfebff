import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { strToU8, zipSync } from 'fflate';
import { hashOwnerToken } from '../../services/gateway/auth/owner-token.ts';
import { ADMIN, ADMIN_PASSWORD } from '../shared-instance.ts';
import { listOf } from './support/admin-list.ts';
import { type Client, jsonOf, ownedBy, type Published, type RequestOptions, raw } from './support/client.ts';
import { atOnce, fresh, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, publishKind } from './support/kinds.ts';
import { behindLockOf } from './support/locked-item.ts';
import { form } from './support/multipart.ts';
import { usePerch } from './support/perch.ts';

const env = {
  ADMIN_PASSWORD,
  TRUST_PROXY: '1',
  LIMIT_UPLOADS_PER_HOUR: '0',
  LIMIT_CHANGES_PER_HOUR: '0',
};
const perch = usePerch({ gateways: 2, contents: 2, sites: 2, env });

interface Progress {
  removed: number;
  left: number;
  leftIsLowerBound: boolean;
  blocked: number;
}

const ask = (json: unknown, client: Client = perch): Promise<Response> =>
  client.request('/api/admin/takedowns', { method: 'POST', headers: ADMIN, json });
const takeDown = async (json: object, client: Client = perch): Promise<Progress> =>
  await jsonOf<Progress>(await ask({ reason: 'Phishing.', ...json }, client));
const block = (sha256: string, client: Client = perch): Promise<Response> =>
  client.request('/api/admin/blocked-content', {
    method: 'POST',
    headers: ADMIN,
    json: { sha256, reason: 'Phishing.' },
  });
const lift = (hash: string): Promise<Response> =>
  perch.request(`/api/admin/blocked-content/${hash}`, { method: 'DELETE', headers: ADMIN });

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

const from = (address: string): RequestOptions => ({ headers: { 'X-Forwarded-For': address } });
const statusOf = async ({ namespace, id }: Published): Promise<number> =>
  (await perch.request(`/${namespace}/${id}`)).status;

const mtime = new Date(2026, 0, 1);
const site = (files: Record<string, string>, options: RequestOptions = {}): RequestOptions => {
  const entries = Object.entries(files).map(([path, text]) => [path, strToU8(text)] as const);
  return raw(zipSync(Object.fromEntries(entries), { mtime }), 'application/zip', options);
};

/** Kinds whose content is looked at. */
const STORED = KINDS.filter(({ name }) => name !== 'kv');
const contentOf = (kind: (typeof KINDS)[number], text: string): string =>
  kind.name === 'site' ? `<p>${text}` : kind.bytesOf(text);

describe('a takedown by network', () => {
  test.each([
    ['203.0.113.0/25', ['203.0.113.1', '203.0.113.127'], ['203.0.113.128', '203.0.112.255']],
    ['198.51.100.7', ['198.51.100.7'], ['198.51.100.8', '198.51.100.6']],
    [
      '2001:db8:77::/48',
      ['2001:db8:77::1', '2001:db8:77:ffff:ffff::'],
      ['2001:db8:78::', '2001:db8:76:ffff::1'],
    ],
    ['2001:DB8:5::9', ['2001:db8:5::9'], ['2001:db8:5::a']],
  ])('%s removes what came from there, of every kind, and nothing else', async (network, inside, outside) => {
    const publish = (address: string) =>
      Promise.all(KINDS.map((kind) => publishKind(perch, kind, fresh('net'), from(address))));
    const gone = (await Promise.all(inside.map(publish))).flat();
    const kept = (await Promise.all(outside.map(publish))).flat();
    expect(await takeDown({ network, limit: 0, reason: undefined })).toEqual({
      removed: 0,
      left: gone.length,
      leftIsLowerBound: false,
      blocked: 0,
    });
    expect(await takeDown({ network })).toMatchObject({ removed: gone.length, left: 0, blocked: 0 });
    for (const item of gone) expect(await statusOf(item)).toBe(410);
    for (const item of kept) expect(await statusOf(item)).toBe(200);
  });

  test('goes part by part, and five operators at once remove each item once', async () => {
    const items = await atOnce(60, (n) => perch.publish(`<p>many ${n}`, from(`192.0.2.${n + 1}`)));
    const network = '192.0.2.0/24';
    expect(await takeDown({ network, limit: 7 })).toMatchObject({ removed: 7, left: 53 });
    const shares = await atOnce(5, (n) => takeDown({ network }, n % 2 === 0 ? perch : perch.last));
    expect(shares.reduce((sum, { removed }) => sum + removed, 0)).toBe(53);
    expect(await takeDown({ network })).toMatchObject({ removed: 0, left: 0 });
    expect(tally(await Promise.all(items.map(statusOf)))).toEqual({ 410: 60 });
    const audit = await perch.request('/api/admin/audit', {
      headers: ADMIN,
      query: { action: 'take-down-many', limit: 50 },
    });
    const { items: entries } = await listOf<{ target: string; note: string; outcome: string }>(audit);
    const ours = entries.filter(({ target }) => target === `network ${network}`);
    expect(ours).toHaveLength(7);
    expect(ours[0]).toMatchObject({ note: 'Phishing.', outcome: 'done' });
  });

  test('with blockContent keeps it from coming back', async () => {
    const text = fresh('network content');
    const item = await perch.publish(`<p>${text}`, from('198.18.0.1'));
    expect(await takeDown({ network: '198.18.0.0/16', blockContent: true })).toMatchObject({
      removed: 1,
      blocked: 1,
    });
    expect(await statusOf(item)).toBe(410);
    const again = await perch.request('/api/html', raw(`<p>${text}`, 'text/html', { method: 'POST' }));
    await expectError(again, 403, 'CONTENT_BLOCKED');
  });

  test('with blockContent blocks what was put in its place a moment before, too', async () => {
    const [first, second] = [fresh('network first'), fresh('network second')];
    const item = await perch.publish(`<p>${first}`, from('198.19.0.1'));
    const json = { network: '198.19.0.0/24', reason: 'Phishing.', blockContent: true };
    const [updated, taken] = await behindLockOf(perch.instance, item, [
      () => perch.api(item, { method: 'PUT', ...raw(`<p>${second}`, 'text/html', ownedBy(item)) }),
      () => ask(json),
    ]);
    if (updated === undefined || taken === undefined) throw new Error('an answer is missing');
    expect(updated.status).toBe(200);
    expect(await jsonOf<Progress>(taken)).toMatchObject({ removed: 1, left: 0, blocked: 2 });
    for (const text of [first, second])
      await expectError(
        await perch.request('/api/html', raw(`<p>${text}`, 'text/html', { method: 'POST' })),
        ...([403, 'CONTENT_BLOCKED'] as const),
      );
  });
});

test('a takedown by owner removes what the owner has, and nothing of others', async () => {
  const first = await perch.publish('<p>one of the owner');
  const json = { key: 'a', value: 'b' };
  const second = await jsonOf<Published>(
    await perch.request('/api/kv', { method: 'POST', json, ...ownedBy(first) }),
    201,
  );
  const other = await perch.publish('<p>one of another');
  const ownerId = hashOwnerToken(first.ownerToken);
  expect(await takeDown({ ownerId })).toMatchObject({ removed: 2, left: 0 });
  expect([await statusOf(first), await statusOf(second), await statusOf(other)]).toEqual([410, 410, 200]);
});

describe.each(STORED)('content of kind $name', (kind) => {
  const create = (text: string, client: Client = perch) =>
    client.request(kind.path, { method: 'POST', ...kind.create(text) });

  test('that is taken down is gone everywhere, and cannot be created or come by an update until it is lifted', async () => {
    const text = fresh('blocked');
    const [one, two] = [
      await publishKind(perch, kind, text),
      await publishKind(perch, kind, text, { query: { ns: fresh('other') } }),
    ];
    const other = await publishKind(perch, kind, fresh('harmless'));
    const hash = sha256(contentOf(kind, text));
    expect(await takeDown({ sha256: hash.toUpperCase() })).toEqual({
      removed: 2,
      left: 0,
      leftIsLowerBound: false,
      blocked: 1,
    });
    expect([await statusOf(one), await statusOf(two), await statusOf(other)]).toEqual([410, 404, 200]);
    for (const client of perch.clients) await expectError(await create(text, client), 403, 'CONTENT_BLOCKED');
    if (kind.change !== null) {
      const options = kind.create(text, { method: 'PUT', ...ownedBy(other) });
      const update = await perch.request(itemPath(kind, other), options);
      await expectError(update, 403, 'CONTENT_BLOCKED');
      expect(await statusOf(other)).toBe(200);
    }
    const short = hash.slice(0, 32);
    expect((await lift(short)).status).toBe(204);
    await expectError(await lift(short), 404, 'NOT_FOUND');
    expect((await create(text)).status).toBe(201);
  });

  test('of an item that is taken down with blockContent cannot come back', async () => {
    const text = fresh('single');
    const item = await publishKind(perch, kind, text);
    const path = `/api/admin/items/${item.namespace}/${item.id}`;
    const options = { method: 'DELETE', headers: ADMIN, query: { blockContent: 'true' } };
    expect((await perch.request(path, options)).status).toBe(204);
    await expectError(await create(text), 403, 'CONTENT_BLOCKED');
    expect((await create(`${text}!`)).status).toBe(201);
  });

  test('that was put in its place a moment before is what a takedown with blockContent blocks', async () => {
    if (kind.change === null) return;
    const [first, second] = [fresh('replaced'), fresh('replacing')];
    const item = await publishKind(perch, kind, first);
    const path = `/api/admin/items/${item.namespace}/${item.id}`;
    const removal = { method: 'DELETE', headers: ADMIN, query: { blockContent: 'true' } };
    const update = kind.create(second, { method: 'PUT', ...ownedBy(item) });
    const [updated, taken] = await behindLockOf(perch.instance, item, [
      () => perch.request(itemPath(kind, item), update),
      () => perch.request(path, removal),
    ]);
    expect([updated?.status, taken?.status]).toEqual([200, 204]);
    await expectError(await create(second), 403, 'CONTENT_BLOCKED');
    // Nobody had that any more.
    expect((await create(first)).status).toBe(201);
  });

  test('that is taken down while twenty send it leaves none behind', async () => {
    const text = fresh('race');
    const hash = sha256(contentOf(kind, text));
    const creates = atOnce(20, async (n) => (await create(text, n % 2 === 0 ? perch : perch.last)).status);
    const { left } = await takeDown({ sha256: hash }, perch.last);
    const statuses = tally(await creates);
    expect(Object.keys(statuses).every((status) => ['201', '403'].includes(status))).toBe(true);
    expect(left).toBe(0);
    expect(await takeDown({ sha256: hash, limit: 0 })).toMatchObject({ left: 0 });
  });
});

test('a site with a blocked file anywhere in it is refused, and found by it', async () => {
  const evil = fresh('payload');
  const files = { 'index.html': '<p>home', 'a/b.txt': evil, 'lib.js': 'a library' };
  const created = await perch.request('/api/sites', { method: 'POST', ...site(files) });
  const item = await jsonOf<Published>(created, 201);
  const harmless = await jsonOf<Published>(
    await perch.request('/api/sites', {
      method: 'POST',
      ...site({ 'index.html': '<p>home 2', 'lib.js': 'a library' }),
    }),
    201,
  );
  expect(await takeDown({ sha256: sha256(evil) })).toMatchObject({ removed: 1, left: 0 });
  expect([await statusOf(item), await statusOf(harmless)]).toEqual([410, 200]);
  await expectError(
    await perch.request('/api/sites', { method: 'POST', ...site(files) }),
    403,
    'CONTENT_BLOCKED',
  );
  const moved = { 'index.html': evil };
  await expectError(
    await perch.request('/api/sites', { method: 'POST', ...site(moved) }),
    403,
    'CONTENT_BLOCKED',
  );
  const replace = { method: 'PUT', ...site({ ...files, 'index.html': '<p>other' }, ownedBy(harmless)) };
  const path = `/api/sites/${harmless.namespace}/${harmless.id}`;
  await expectError(await perch.request(path, replace), 403, 'CONTENT_BLOCKED');
  // Its libraries are not blocked with a site.
  const options = { method: 'DELETE', headers: ADMIN, query: { blockContent: 'true' } };
  expect((await perch.request(`/api/admin/items/public/${harmless.id}`, options)).status).toBe(204);
  const library = site({ 'index.html': '<p>home 3', 'lib.js': 'a library' });
  expect((await perch.request('/api/sites', { method: 'POST', ...library })).status).toBe(201);
});

describe('content of no bytes', () => {
  const EMPTY = sha256('');
  const createSite = (files: Record<string, string>, options?: RequestOptions): Promise<Response> =>
    perch.request('/api/sites', { method: 'POST', ...site(files, options) });
  const emptyFile = (options?: RequestOptions): RequestOptions =>
    form([{ name: 'file', filename: 'empty.txt', content: '' }], { method: 'POST', ...options });
  const expectWelcome = async (): Promise<void> => {
    const others = await createSite({ 'index.html': `<p>${fresh('other')}`, 'empty.txt': '' });
    expect(others.status).toBe(201);
    expect((await perch.request('/api/files', emptyFile())).status).toBe(201);
  };

  test('is not blocked with a site that begins with an empty file', async () => {
    const files = { 'index.html': '', 'x.html': `<p>${fresh('planted')}` };
    const { namespace, id } = await jsonOf<Published>(await createSite(files), 201);
    const options = { method: 'DELETE', headers: ADMIN, query: { blockContent: 'true' } };
    expect((await perch.request(`/api/admin/items/${namespace}/${id}`, options)).status).toBe(204);
    await expectWelcome();
  });

  test('is not blocked with all that came from a network', async () => {
    const origin = from('198.51.100.201');
    const text = `<p>${fresh('blocked beside it')}`;
    await jsonOf(await createSite({ 'index.html': '', 'x.html': text }, origin), 201);
    await jsonOf(await perch.request('/api/files', emptyFile(origin)), 201);
    await perch.publish(text, origin);
    const progress = await takeDown({ network: '198.51.100.201', blockContent: true });
    expect(progress).toMatchObject({ removed: 3, left: 0, blocked: 1 });
    await expectWelcome();
    await expectError(await createSite({ 'index.html': text }), 403, 'CONTENT_BLOCKED');
  });

  test.each([[EMPTY], [EMPTY.slice(0, 32)], [EMPTY.toUpperCase()]])(
    'is not blocked by its hash %s',
    async (hash) => {
      for (const answer of [await block(hash), await ask({ sha256: hash, reason: 'Phishing.' })])
        await expectError(answer, 400, 'VALIDATION_FAILED', 'sha256');
      await expectWelcome();
    },
  );
});

test('blocked content is listed, may be blocked twice, and only by the operator', async () => {
  const hash = sha256(fresh('never sent'));
  const blocked = await jsonOf<Record<string, string>>(await block(hash), 201);
  const days = (Date.parse(blocked.expiresAt ?? '') - Date.parse(blocked.blockedAt ?? '')) / 86_400_000;
  expect([blocked.hash, blocked.reason, Math.round(days)]).toEqual([hash, 'Phishing.', 90]);
  await atOnce(5, (n) => block(hash, n % 2 === 0 ? perch : perch.last));
  const list = await listOf<{ hash: string }>(
    await perch.request('/api/admin/blocked-content', { headers: ADMIN, query: { limit: 1_000 } }),
  );
  expect(list.items.filter((one) => one.hash === hash)).toHaveLength(1);
  expect(list.total).toBe(list.items.length);
  for (const path of ['/api/admin/blocked-content', '/api/admin/takedowns'])
    await expectError(
      await perch.request(path, { method: 'POST', json: { sha256: hash } }),
      401,
      'ADMIN_UNAUTHORIZED',
    );
});

test.each([
  [{}],
  [{ network: '203.0.113.0/24', sha256: 'a'.repeat(64) }],
  [{ network: '10.0.0.0/7' }],
  [{ network: '0.0.0.0/0' }],
  [{ network: '2000::/15' }],
  [{ network: '::ffff:10.0.0.0/96' }],
  [{ network: '10.0.0.0/33' }],
  [{ network: 'everybody' }],
  [{ network: 7 }],
  [{ network: ' ' }],
  [{ sha256: null }],
  [{ ownerId: 'a'.repeat(64), network: '' }],
  [{ ownerId: 'a'.repeat(63) }],
  [{ sha256: 'g'.repeat(64) }],
  [{ sha256: 'a'.repeat(40) }],
  [{ sha256: 'a'.repeat(64), limit: 1_001 }],
  [{ sha256: 'a'.repeat(64), limit: -1 }],
  [{ sha256: 'a'.repeat(64), limit: '5' }],
  [{ sha256: 'a'.repeat(64), blockContent: 'yes' }],
  [{ sha256: 'a'.repeat(64), reason: ' ' }],
  [{ sha256: 'a'.repeat(64), reason: 'x'.repeat(501) }],
])('%j is no takedown', async (json) => {
  await expectError(await ask({ reason: 'Phishing.', ...json }), 400, 'VALIDATION_FAILED');
});
