import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ADMIN, ADMIN_PASSWORD } from '../shared-instance.ts';
import { listOf } from './support/admin-list.ts';
import { type Client, codePath, jsonOf, ownedBy, type Published } from './support/client.ts';
import { atOnce, eventually, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { KINDS, type KindUnderTest, publishKind, readsOf } from './support/kinds.ts';
import { usePerch } from './support/perch.ts';

const perch = usePerch({ gateways: 2, contents: 2, kvs: 2, env: { ADMIN_PASSWORD } });

const PATH = '/api/admin/owners';

const newToken = () => `own_${fresh('owner-of-this-test')}`;
const idOf = (token: string) => createHash('sha256').update(token).digest('hex');

interface OwnerInfo {
  ownerId: string;
  htmlCount: number;
  kvStoreCount: number;
  jsonCount: number;
  fileCount: number;
  siteCount: number;
  storedBytes: number;
  firstSeen: string;
  tier: string;
  label: string | null;
}

const list = async (query: Record<string, string | number> = {}) =>
  await listOf<OwnerInfo>(await perch.last.request(PATH, { headers: ADMIN, query }));
const only = async (token: string): Promise<OwnerInfo | undefined> =>
  (await list({ search: idOf(token) })).items[0];
const change = (token: string, what: 'promote' | 'demote', json?: unknown): Promise<Response> =>
  perch.request(`${PATH}/${idOf(token)}/${what}`, {
    method: 'POST',
    headers: ADMIN,
    ...(json === undefined ? {} : { json }),
  });
const promoted = async (token: string, json?: unknown) => await jsonOf(await change(token, 'promote', json));
const takeDown = (ownerId: string, client: Client = perch) =>
  client.request(`${PATH}/${ownerId}`, { method: 'DELETE', headers: ADMIN });
const publishAll = (token: string, query: Record<string, string> = {}): Promise<Published[]> =>
  Promise.all(
    KINDS.map((kind) => publishKind(perch, kind, 'x', { query, headers: { 'X-Owner-Token': token } })),
  );

/** Of the nth item that `publishAll` has made. */
function kindOf(n: number): KindUnderTest {
  const kind = KINDS[n % KINDS.length];
  if (kind === undefined) throw new Error('there is no kind');
  return kind;
}

describe('the list of owners', () => {
  test('counts what each has, of every kind, private items too', async () => {
    const token = newToken();
    expect(await only(token)).toBe(undefined);
    const items = [...(await publishAll(token)), ...(await publishAll(token, { ns: 'owner-admin' }))];
    const found = await only(token);
    expect(found).toEqual({
      ownerId: idOf(token),
      htmlCount: 2,
      kvStoreCount: 2,
      jsonCount: 2,
      fileCount: 2,
      siteCount: 2,
      storedBytes: expect.any(Number),
      firstSeen: expect.any(String),
      tier: 'DEFAULT',
      label: null,
    } as unknown as OwnerInfo);
    const owned = await jsonOf<{ items: Array<{ sizeBytes: number; createdAt: string }> }>(
      await perch.request('/api/owner/items', { headers: { 'X-Owner-Token': token } }),
    );
    expect(owned.items).toHaveLength(items.length);
    expect(found?.storedBytes).toBe(owned.items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
    expect(found?.firstSeen).toBe(owned.items.map(({ createdAt }) => createdAt).toSorted()[0] ?? '');
  });

  test('is searched by the beginning of an id or a label, and comes in parts', async () => {
    const [one, two] = [newToken(), newToken()];
    for (const token of [one, two]) await perch.publish('<p>x', { headers: { 'X-Owner-Token': token } });
    const label = fresh('Label_50%');
    await promoted(one, { label });
    for (const search of [
      idOf(one),
      idOf(one).slice(0, 12).toUpperCase(),
      label,
      label.slice(0, -1).toLowerCase(),
    ])
      expect((await list({ search })).items.map(({ ownerId }) => ownerId)).toEqual([idOf(one)]);
    for (const search of [label.slice(1), idOf(one).slice(1, 20), label.replace('_', 'x'), '%'])
      expect((await list({ search })).items).toEqual([]);
    const whole = await list({ limit: 200 });
    expect(whole.items).toHaveLength(whole.total);
    const counts = whole.items.map(
      (o) => o.htmlCount + o.kvStoreCount + o.jsonCount + o.fileCount + o.siteCount,
    );
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect((await list({ limit: 1, offset: 1 })).items).toEqual(whole.items.slice(1, 2));
    for (const [name, value] of [
      ['limit', 201],
      ['limit', 0],
      ['offset', -1],
      ['search', 'x'.repeat(101)],
    ] as const)
      await expectError(
        await perch.request(PATH, { headers: ADMIN, query: { [name]: value } }),
        ...([400, 'VALIDATION_FAILED', name] as const),
      );
  });

  test('is behind the statistics of the operator', async () => {
    const token = newToken();
    const read = async () =>
      await jsonOf<Record<string, number> & { ownersWithCounts: OwnerInfo[] }>(
        await perch.last.request('/api/admin/stats', { headers: ADMIN }),
      );
    const before = await read();
    await publishAll(token);
    const counts = [
      'totalHtml',
      'totalKvEntries',
      'totalJsonDocs',
      'totalFiles',
      'totalSites',
      'uniqueOwners',
    ];
    // Each process keeps the figures for a moment.
    await eventually(async () => {
      const now = await read();
      return (
        counts.every((name) => now[name] === (before[name] ?? 0) + 1) &&
        now.ownersWithCounts.some(({ ownerId, siteCount }) => ownerId === idOf(token) && siteCount === 1)
      );
    });
  });
});

describe('an id', () => {
  test('is found by the token, which reaches no log', async () => {
    const token = newToken();
    const byBody = await perch.request(`${PATH}/resolve`, {
      method: 'POST',
      headers: ADMIN,
      json: { token },
    });
    expect(await jsonOf(byBody)).toEqual({ ownerId: idOf(token) });
    const byQuery = await perch.request(`${PATH}/resolve`, { headers: ADMIN, query: { token } });
    expect(await jsonOf(byQuery)).toEqual({ ownerId: idOf(token) });
    const requestId = byQuery.headers.get('X-Request-Id') ?? '';
    const log = async () =>
      (await Promise.all(perch.instance.logFiles.map((file) => readFile(file, 'utf8')))).join('\n');
    await eventually(async () => (await log()).includes(requestId));
    expect(await log()).not.toContain(token);
    for (const wrong of ['', ' ', 'x'.repeat(513), null, 7]) {
      const json = { token: wrong };
      const refused = await perch.request(`${PATH}/resolve`, { method: 'POST', headers: ADMIN, json });
      await expectError(refused, 400, 'VALIDATION_FAILED', 'token');
    }
  });

  test('that nobody can have, or nobody has, is 404', async () => {
    for (const ownerId of ['nobody', 'f'.repeat(63), 'g'.repeat(64), `${'f'.repeat(64)}f`]) {
      await expectError(await takeDown(ownerId), 404, 'NOT_FOUND');
      for (const what of ['promote', 'demote']) {
        const response = await perch.request(`${PATH}/${ownerId}/${what}`, {
          method: 'POST',
          headers: ADMIN,
        });
        await expectError(response, 404, 'NOT_FOUND');
      }
    }
    for (const what of ['promote', 'demote'] as const)
      await expectError(await change(newToken(), what), 404, 'NOT_FOUND');
  });
});

describe('a privileged owner', () => {
  const publish = (token: string, ttl: number, client: Client = perch.last) =>
    client.request('/api/json', {
      method: 'POST',
      query: { ttl },
      headers: { 'X-Owner-Token': token },
      json: { a: 1 },
    });
  const renew = ({ namespace, id }: Published, token: string, query: Record<string, number> = {}) =>
    perch.last.request(`/api/${namespace}/${id}/renew`, {
      method: 'POST',
      query,
      headers: { 'X-Owner-Token': token },
    });

  test('may give a longer life on create and renewal, on every gateway, and nobody else', async () => {
    const token = newToken();
    const item = await perch.publish('<p>x', { headers: { 'X-Owner-Token': token } });
    await expectError(await publish(token, 31), 400, 'TTL_INVALID', 'ttl');
    await expectError(await renew(item, token, { ttl: 31 }), 400, 'TTL_INVALID', 'ttl');
    expect(await promoted(token, { maxTtlDays: 400, label: 'Team', note: 'Why.\nSo.' })).toEqual({
      ownerId: idOf(token),
      tier: 'PRIVILEGED',
      maxTtlDays: 400,
      label: 'Team',
      note: 'Why.\nSo.',
    });
    for (const client of perch.clients)
      for (const ttl of [1, 30, 31, 400])
        expect(await jsonOf<Published>(await publish(token, ttl, client), 201)).toMatchObject({
          ttlDays: ttl,
        });
    for (const ttl of [401, 730, 731])
      await expectError(await publish(token, ttl), 400, 'TTL_INVALID', 'ttl');
    expect(await jsonOf(await renew(item, token, { ttl: 400 }))).toMatchObject({ ttlDays: 400 });
    await expectError(await renew(item, token, { ttl: 401 }), 400, 'TTL_INVALID', 'ttl');
    const inBody = await perch.request('/api/html', {
      method: 'POST',
      headers: { 'X-Owner-Token': token },
      json: { content: '<p>in the body', ttlDays: 300 },
    });
    expect(await jsonOf<Published>(inBody, 201)).toMatchObject({ ttlDays: 300 });
    for (const other of [newToken(), null]) {
      const headers: Record<string, string> = other === null ? {} : { 'X-Owner-Token': other };
      for (const options of [{ query: { ttl: 31 } }, {}]) {
        const json = { content: '<p>x', ...('query' in options ? {} : { ttlDays: 31 }) };
        await expectError(
          await perch.request('/api/html', { method: 'POST', headers, json, ...options }),
          ...([400, 'TTL_INVALID', 'ttl'] as const),
        );
      }
    }
  });

  test('is one like all others after a demotion; what items have stays', async () => {
    const token = newToken();
    await perch.publish('<p>x', { headers: { 'X-Owner-Token': token } });
    await promoted(token, { tier: 'PRIVILEGED', maxTtlDays: 730, label: 'Team' });
    const item = await jsonOf<Published>(await publish(token, 730), 201);
    const plain = { ownerId: idOf(token), tier: 'DEFAULT', maxTtlDays: 30, label: 'Team', note: null };
    for (let n = 0; n < 2; n++) expect(await jsonOf(await change(token, 'demote'))).toEqual(plain);
    for (const client of perch.clients)
      await expectError(await publish(token, 31, client), 400, 'TTL_INVALID', 'ttl');
    expect(await only(token)).toMatchObject({ tier: 'DEFAULT', label: 'Team' });
    expect((await perch.last.request(`/${item.namespace}/${item.id}`)).status).toBe(200);
    expect(await jsonOf(await renew(item, token))).toMatchObject({ ttlDays: 30 });
  });

  test('keeps what is not said anew', async () => {
    const token = newToken();
    await perch.publish('<p>x', { headers: { 'X-Owner-Token': token } });
    expect(await promoted(token)).toMatchObject({
      tier: 'PRIVILEGED',
      maxTtlDays: 365,
      label: null,
      note: null,
    });
    await promoted(token, { label: 'A', note: 'B' });
    expect(await promoted(token, { maxTtlDays: 10 })).toMatchObject({
      maxTtlDays: 10,
      label: 'A',
      note: 'B',
    });
    // Never fewer than everybody may.
    expect((await publish(token, 30)).status).toBe(201);
    expect(await promoted(token, { label: null, note: ' ' })).toMatchObject({ label: null, note: null });
    expect(await promoted(token, { tier: 'DEFAULT', maxTtlDays: 700 })).toMatchObject({
      tier: 'DEFAULT',
      maxTtlDays: 30,
    });
  });

  test('has terms that make sense', async () => {
    const token = newToken();
    await perch.publish('<p>x', { headers: { 'X-Owner-Token': token } });
    const wrong: Record<string, unknown[]> = {
      tier: ['privileged', '', 1],
      maxTtlDays: [0, 731, 1.5, '30', -1],
      label: ['x'.repeat(101), 'a\u0000', 7],
      note: ['x'.repeat(5_001), 'a\u0000', 7],
    };
    for (const [field, values] of Object.entries(wrong))
      for (const value of values)
        await expectError(
          await change(token, 'promote', { [field]: value }),
          400,
          'VALIDATION_FAILED',
          field,
        );
  });
});

describe('a takedown of an owner', () => {
  test('removes all their items of every kind everywhere, and nobody else’s', async () => {
    const [token, other] = [newToken(), newToken()];
    const items = [...(await publishAll(token)), ...(await publishAll(token, { ns: 'owner-admin' }))];
    await promoted(token, { maxTtlDays: 400, label: 'Gone' });
    const kept = await publishAll(other);
    for (const client of perch.clients)
      for (const [n, item] of items.entries())
        for (const path of readsOf(kindOf(n), item))
          await (await client.request(path, ownedBy(item))).arrayBuffer();
    const response = await takeDown(idOf(token));
    expect([response.status, await response.text(), response.headers.get('Cache-Control')]).toEqual([
      204,
      '',
      'no-store',
    ]);
    for (const client of perch.clients) {
      for (const [n, item] of items.entries()) {
        const status = item.namespace === 'public' ? 410 : 404;
        expect((await client.request(codePath(item))).status).toBe(status);
        for (const path of readsOf(kindOf(n), item))
          expect((await client.request(path)).status).toBe(path.startsWith('/api/') ? 404 : status);
      }
      for (const item of kept)
        expect((await client.request(`/${item.namespace}/${item.id}`)).status).toBe(200);
      const owned = await client.request('/api/owner/items', { headers: { 'X-Owner-Token': token } });
      expect(await jsonOf(owned)).toMatchObject({ total: 0 });
    }
    expect(await only(token)).toBe(undefined);
    expect((await takeDown(idOf(token))).status).toBe(204);
    await expectError(await change(token, 'promote'), 404, 'NOT_FOUND');
  });

  test('of many items, by several at once, leaves none', async () => {
    const token = newToken();
    const query = { ns: fresh('many').toLowerCase() };
    await atOnce(180, async () => {
      const options = { method: 'POST', query, headers: { 'X-Owner-Token': token }, json: { a: 1 } };
      expect((await perch.request('/api/json', options)).status).toBe(201);
    });
    const answers = await atOnce(4, (n) => takeDown(idOf(token), n % 2 === 0 ? perch : perch.last));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
    expect(await only(token)).toBe(undefined);
  });

  test('is for the operator only', async () => {
    const token = newToken();
    const item = await perch.publish('<p>kept', { headers: { 'X-Owner-Token': token } });
    for (const [method, path] of [
      ['GET', PATH],
      ['GET', '/api/admin/stats'],
      ['GET', `${PATH}/resolve?token=${token}`],
      ['POST', `${PATH}/resolve`],
      ['POST', `${PATH}/${idOf(token)}/promote`],
      ['POST', `${PATH}/${idOf(token)}/demote`],
      ['DELETE', `${PATH}/${idOf(token)}`],
    ] as const)
      for (const headers of [{}, { 'X-Admin-Password': 'wrong' }, { 'X-Owner-Token': token }])
        await expectError(await perch.request(path, { method, headers }), 401, 'ADMIN_UNAUTHORIZED');
    expect((await perch.read(item)).status).toBe(200);
  });
});
