import { describe, expect, test } from 'bun:test';
import { ADMIN, ADMIN_PASSWORD } from '../shared-instance.ts';
import { type ListPart, listOf } from './support/admin-list.ts';
import { type Client, jsonOf, ownedBy, type Published, type RequestOptions } from './support/client.ts';
import { eventually, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, publishKind, readContent } from './support/kinds.ts';
import { usePerch } from './support/perch.ts';

const env = { ADMIN_PASSWORD, TRUST_PROXY: '1' };
const perch = usePerch({ gateways: 2, contents: 2, env });

const PATH = '/api/admin/blocklist';

interface Block {
  id: string;
  ip: string | null;
  uaPattern: string | null;
  reason: string;
  blockedAt: string;
  blockedBy: string;
  expiresAt: string | null;
  active: boolean;
}

const ask = (json: unknown): Promise<Response> =>
  perch.request(PATH, { method: 'POST', headers: ADMIN, json });
const block = async (fields: Record<string, unknown>): Promise<Block> =>
  await jsonOf<Block>(await ask({ reason: 'A test.', ...fields }), 201);
const unblock = (id: string) => perch.last.request(`${PATH}/${id}`, { method: 'DELETE', headers: ADMIN });
const list = async (query: RequestOptions['query'] = {}): Promise<ListPart<Block>> =>
  await listOf<Block>(await perch.last.request(PATH, { headers: ADMIN, query }));

/** Addresses of RFC 5737, another network for each test. */
let networks = 0;
const network = () => `198.18.${networks++}`;

const publish = async (client: Client, headers: Record<string, string>): Promise<number> => {
  const response = await client.request('/api/json', { method: 'POST', headers, json: { a: 1 } });
  await response.arrayBuffer();
  return response.status;
};

/** Waits until every gateway answers a create of this client so. */
async function expectEverywhere(headers: Record<string, string>, status: number): Promise<void> {
  for (const client of perch.clients)
    await eventually(async () => (await publish(client, headers)) === status);
}

describe('a blocked client', () => {
  test.each(KINDS)('creates and changes nothing of kind $name, and reads all the same', async (kind) => {
    const prefix = network();
    const from = { 'X-Forwarded-For': `${prefix}.7` };
    const item = await publishKind(perch, kind, 'x', { headers: from });
    const { id } = await block({ ip: `${prefix}.0/24` });
    await expectEverywhere(from, 403);
    for (const client of perch.clients) {
      const create = await publishBlocked(client, kind.name, from);
      await expectError(create, 403, 'CLIENT_BLOCKED');
      const headers = { ...from, ...ownedBy(item).headers };
      const renewal = `/api/${item.namespace}/${item.id}/renew`;
      await expectError(await client.request(renewal, { method: 'POST', headers }), 403, 'CLIENT_BLOCKED');
      const removal = await client.request(itemPath(kind, item), { method: 'DELETE', headers });
      await expectError(removal, 403, 'CLIENT_BLOCKED');
      expect((await readContent(client, kind, item, { headers: from })).status).toBe(200);
    }
    expect(await publish(perch, { 'X-Forwarded-For': '192.0.2.200' })).toBe(201);
    expect((await unblock(id)).status).toBe(204);
    await expectEverywhere(from, 201);
  });

  const publishBlocked = (client: Client, kind: string, headers: Record<string, string>) =>
    kind === 'kv'
      ? client.request('/api/kv', { method: 'POST', headers, json: { key: 'a', value: 1 } })
      : client.request('/api/html', {
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'text/html' },
          body: '<p>x',
        });

  test('is refused by every operation that makes or changes anything', async () => {
    const prefix = network();
    const from = { 'X-Forwarded-For': `${prefix}.3` };
    const item = async (name: string): Promise<Published> => {
      const kind = KINDS.find((one) => one.name === name);
      if (kind === undefined) throw new Error(`there is no kind ${name}`);
      return await publishKind(perch, kind, 'x', { headers: from });
    };
    const [page, store, document, site] = [
      ...[await item('html'), await item('kv'), await item('json'), await item('site')],
    ];
    await block({ ip: `${prefix}.3` });
    await expectEverywhere(from, 403);
    const key = `/api/kv/public/${store?.id}/greeting`;
    const changes: Array<[method: string, path: string, of: Published | undefined, json?: unknown]> = [
      ['PUT', `/api/html/public/${page?.id}`, page, { content: '<p>y' }],
      ['PUT', `/api/json/public/${document?.id}`, document, { a: 2 }],
      ['PUT', `/api/sites/public/${site?.id}`, site],
      ['PUT', key, store, { value: 2 }],
      ['POST', `${key}/increment`, store, { by: 1 }],
      ['POST', `${key}/append`, store, { value: 'y' }],
      ['DELETE', key, store],
      ['DELETE', `/api/public/${store?.id}`, store],
      ['POST', `/api/public/${page?.id}/renew`, page],
      ['PUT', '/notes.md', undefined],
      ['POST', '/api/owner', undefined],
      ['GET', '/api/owner-token', undefined],
    ];
    for (const client of perch.clients)
      for (const [method, path, of, json] of changes) {
        const headers = { ...from, ...(of === undefined ? {} : ownedBy(of).headers) };
        const options = { method, headers, ...(json === undefined ? {} : { json }) };
        await expectError(await client.request(path, options), 403, 'CLIENT_BLOCKED');
      }
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'publish_json', arguments: { document: { a: 1 }, namespace: 'public' } },
    };
    const agent = { ...from, Accept: 'application/json, text/event-stream' };
    const answer = await perch.request('/mcp', { method: 'POST', headers: agent, json: call });
    expect(await answer.text()).toContain('CLIENT_BLOCKED');
    expect((await perch.read(page as Published, { headers: from })).status).toBe(200);
  });

  test('may report what should not be here, and the operator is never blocked', async () => {
    const prefix = network();
    const from = { 'X-Forwarded-For': `${prefix}.1` };
    await block({ ip: `${prefix}.1` });
    await expectEverywhere(from, 403);
    const report = {
      reportedUrl: `${perch.url}/public/bad`,
      category: 'spam',
      description: 'It advertises.',
    };
    const reported = await perch.request('/api/reports', { method: 'POST', headers: from, json: report });
    expect(reported.status).toBe(201);
    const read = await perch.request(PATH, { headers: { ...from, ...ADMIN } });
    expect(read.status).toBe(200);
  });

  test('is known by a part of its User-Agent, with wildcards', async () => {
    const name = fresh('Bot');
    await block({ uaPattern: `${name}/*(evil` });
    await expectEverywhere({ 'User-Agent': `A ${name.toUpperCase()}/2.0 (EVIL) thing` }, 403);
    expect(await publish(perch, { 'User-Agent': `${name} (evil)` })).toBe(201);
    const given = { document: { a: 1 }, namespace: 'public' };
    const params = { name: 'publish_json', arguments: given };
    const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const call = async (agent: string) => {
      const headers = { 'User-Agent': agent, Accept: 'application/json, text/event-stream' };
      return await (await perch.request('/mcp', { method: 'POST', headers, json })).text();
    };
    expect(await call(`${name}/3.0 (evil)`)).toContain('CLIENT_BLOCKED');
    expect(await call(`${name} Ünknown`)).toContain('ownerToken');
    const query = { limit: '200' };
    const all = await perch.last.request('/api/admin/publications', { headers: ADMIN, query });
    expect(await all.text()).toContain(`"userAgent":"${name} Ünknown"`);
  });

  test('may go on when its time is over', async () => {
    const prefix = network();
    const { id, expiresAt, blockedAt } = await block({ ip: `${prefix}.9`, duration: 'PT8S' });
    // The end is counted from when the gateway had the request, a while before the block is written.
    expect(Date.parse(expiresAt ?? '') - Date.parse(blockedAt)).toBeWithin(1, 8_001);
    const from = { 'X-Forwarded-For': `${prefix}.9` };
    await eventually(async () => (await publish(perch, from)) === 403);
    await expectEverywhere(from, 201);
    const { items } = await list({ active: 'false' });
    expect(items.find((one) => one.id === id)).toMatchObject({ active: false });
  });
});

describe('the list', () => {
  test('shows what is in force, and more when asked', async () => {
    const [one, two] = [network(), network()];
    const mine = await perch.request(PATH, {
      method: 'POST',
      headers: { ...ADMIN, 'X-Forwarded-For': '192.0.2.77' },
      json: { ip: `${one}.1`, reason: ' Spam. ' },
    });
    const network1 = await jsonOf<Block>(mine, 201);
    expect(network1).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9]{10}$/),
      ip: `${one}.1`,
      uaPattern: null,
      reason: 'Spam.',
      blockedAt: expect.any(String),
      blockedBy: '192.0.2.77',
      expiresAt: null,
      active: true,
    } as unknown as Block);
    const agent = await block({ uaPattern: fresh('Agent') });
    const both = await block({ ip: `${two}.0/25`, uaPattern: fresh('Both') });
    await unblock(agent.id);
    const has = async (query: Record<string, string>) => {
      const { items, total } = await list({ limit: '1000', ...query });
      expect(items).toHaveLength(total);
      return [network1, agent, both].map(({ id }) => items.some((item) => item.id === id));
    };
    expect(await has({})).toEqual([true, false, true]);
    expect(await has({ includeInactive: 'true' })).toEqual([true, true, true]);
    expect(await has({ active: 'false' })).toEqual([false, true, false]);
    expect(await has({ active: 'true', includeInactive: 'true' })).toEqual([true, false, true]);
    expect(await has({ type: 'ip', includeInactive: 'true' })).toEqual([true, false, true]);
    expect(await has({ type: 'ua', includeInactive: 'true' })).toEqual([false, true, true]);
    const whole = await list({ includeInactive: 'true', limit: 1000 });
    const parts = await Promise.all(
      [0, 1, 2].map((offset) => list({ includeInactive: 'true', limit: 1, offset })),
    );
    expect(parts.flatMap(({ items }) => items)).toEqual(whole.items.slice(0, 3));
  });

  test('refuses what it cannot be asked for', async () => {
    for (const [name, value] of [
      ...[
        ['active', 'yes'],
        ['type', 'network'],
        ['limit', '0'],
        ['limit', '1001'],
        ['offset', '-1'],
      ],
    ] as const)
      await expectError(
        await perch.request(PATH, { headers: ADMIN, query: { [name]: value } }),
        400,
        'VALIDATION_FAILED',
        name,
      );
    for (const id of ['no-such-entry', 'a%20b', 'x'.repeat(65)])
      await expectError(await unblock(id), 404, 'NOT_FOUND');
    const { id } = await block({ ip: `${network()}.1` });
    expect((await unblock(id)).status).toBe(204);
    await expectError(await unblock(id), 404, 'NOT_FOUND');
  });

  test('is for the operator only', async () => {
    for (const headers of [{}, { 'X-Admin-Password': 'wrong' }]) {
      await expectError(await perch.request(PATH, { headers }), 401, 'ADMIN_UNAUTHORIZED');
      const create = await perch.request(PATH, {
        method: 'POST',
        headers,
        json: { ip: '192.0.2.1', reason: 'x' },
      });
      await expectError(create, 401, 'ADMIN_UNAUTHORIZED');
      await expectError(
        await perch.request(`${PATH}/x`, { method: 'DELETE', headers }),
        401,
        'ADMIN_UNAUTHORIZED',
      );
    }
  });
});

describe('an entry', () => {
  test.each([
    ['2001:DB8:0::1', '2001:db8::1'],
    ['2001:db8::/032', '2001:db8::/32'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['198.51.100.255/31', '198.51.100.255/31'],
    // The widest of both kinds.
    ['11.0.0.0/8', '11.0.0.0/8'],
    ['2a0c::/16', '2a0c::/16'],
  ])('with the address %s', async (given, ip) => {
    const made = await block({ ip: given });
    expect(made.ip).toBe(ip);
    await unblock(made.id);
  });

  test('that makes no sense is refused, and says why', async () => {
    const wrong: Record<string, unknown[]> = {
      ip: [
        'localhost',
        '1.2.3',
        '1.2.3.4/33',
        '::1/129',
        '1.2.3.4/',
        '1.2.3.4/-1',
        '1.2.3.4/8/8',
        '::ffff:1.2.3.4/24',
        'fe80::1%eth0',
        '0.0.0.0/0',
        '10.0.0.0/7',
        '::/0',
        '2a0c::/15',
        7,
      ],
      uaPattern: ['*', '***', 'a\u0007b', 'x'.repeat(201), 7],
      reason: [null, '', '  ', 'x'.repeat(501), 7],
      duration: ['7 days', 'P', 'P0D', '-P1D', 'P1.5D', 'P200Y', 7],
    };
    for (const [field, values] of Object.entries(wrong))
      for (const value of values) {
        const fields = { ip: '192.0.2.1', reason: 'x', [field]: value };
        await expectError(await ask(fields), 400, 'VALIDATION_FAILED', field);
      }
    expect(await (await ask({ reason: 'x', ip: '0.0.0.0/0' })).text()).toContain('/8 at the widest');
    expect(await (await ask({ reason: 'x', uaPattern: '*' })).text()).toContain('must have a character');
    await expectError(await ask({ reason: 'x' }), 400, 'VALIDATION_FAILED', 'ip');
    await expectError(await ask({ reason: 'x', ip: '', uaPattern: null }), 400, 'VALIDATION_FAILED', 'ip');
    await expectError(await ask({ reason: 'x', ip: null, uaPattern: ' ' }), 400, 'VALIDATION_FAILED', 'ip');
    await expectError(await ask([]), 400, 'JSON_INVALID');
    await expectError(
      await ask({ ip: '192.0.2.1', reason: 'x'.repeat(20_000) }),
      400,
      'VALIDATION_FAILED',
      'body',
    );
  });
});
