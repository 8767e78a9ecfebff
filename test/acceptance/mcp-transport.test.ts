import { describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { nanoid } from 'nanoid';
import { ADMIN_PASSWORD } from '../shared-instance.ts';
import { witness } from './support/access-log.ts';
import { jsonOf, type RequestOptions } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { connectAgent } from './support/mcp-client.ts';
import { usePerch } from './support/perch.ts';

const perch = usePerch({
  env: { ADMIN_PASSWORD, LIMIT_UPLOADS_PER_HOUR: '8', LIMIT_READS_PER_MINUTE: '400' },
});

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const callOf = (name: string, given: object, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
});
const send = (json: unknown, options: RequestOptions = {}) =>
  perch.request('/mcp', { method: 'POST', json, ...options });

interface Answer {
  id: number;
  result: { isError?: boolean; content: Array<{ text: string }>; structuredContent?: Record<string, string> };
}

describe('the endpoint', () => {
  test('answers one JSON body, whatever the client accepts, and opens no session', async () => {
    for (const headers of [{}, { Accept: 'application/json, text/event-stream' }, { Accept: '*/*' }]) {
      const response = await send(LIST, { headers });
      expect(response.headers.get('Content-Type')).toStartWith('application/json');
      expect(response.headers.get('Mcp-Session-Id')).toBeNull();
      expect(await jsonOf(response)).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
    }
    const handshake = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    };
    const hello = await send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: handshake });
    expect(hello.headers.get('Mcp-Session-Id')).toBeNull();
    expect(await jsonOf(hello)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    expect((await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  });

  test('has neither streams nor sessions to end', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const headers = { Accept: 'text/event-stream', 'Mcp-Session-Id': nanoid() };
      const response = await perch.request('/mcp', { method, headers });
      expect(response.headers.get('Allow')).toBe('OPTIONS, POST');
      await expectError(response, 405, 'METHOD_NOT_ALLOWED');
    }
  });

  test('tells a person who opens it in a browser what it is, in their language', async () => {
    const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    for (const [language, heading] of [
      ['en', 'This is an MCP server'],
      ['de', 'Das ist ein MCP-Server'],
    ] as const)
      for (const path of ['/mcp', '/mcp/']) {
        const headers = { Accept: BROWSER, 'Accept-Language': language };
        const response = await perch.request(path, { headers });
        expect([path, response.status, response.headers.get('Allow')]).toEqual([path, 405, 'OPTIONS, POST']);
        expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
        const page = await response.text();
        for (const part of [`<h1>${heading}</h1>`, `<code>${perch.url}/mcp</code>`, 'href="/docs"'])
          expect(page).toContain(part);
      }
    for (const accept of ['application/json, text/event-stream', 'text/event-stream', '*/*'])
      await expectError(
        await perch.request('/mcp', { headers: { Accept: accept } }),
        405,
        'METHOD_NOT_ALLOWED',
      );
    for (const headers of [{}, { Accept: BROWSER }])
      await expectError(
        await perch.request('/mcp', { method: 'POST', body: 'x', headers }),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      );
  });

  test('holds no connection open for subscriptions', async () => {
    const { client } = await connectAgent(perch.url, { mode: { pin: '2026-07-28' } });
    expect(client.listen({ toolsListChanged: true })).rejects.toThrow();
  });

  test('takes up to 100 members in a message, its params, its arguments and what goes along with them', async () => {
    const members = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`member${index}`, index]));
    const forms: Array<(count: number) => object> = [
      (count) => ({ ...LIST, ...members(count - Object.keys(LIST).length) }),
      (count) => ({ ...LIST, params: members(count) }),
      (count) => ({ ...LIST, params: { _meta: members(count) } }),
      (count) => callOf('no_such_tool', members(count)),
    ];
    for (const formOf of forms) {
      for (const count of [99, 100])
        expect(await (await send(formOf(count))).text()).not.toContain('JSON_INVALID');
      await expectError(await send(formOf(101)), 400, 'JSON_INVALID');
      await expectError(await send([LIST, formOf(101)]), 400, 'JSON_INVALID');
    }
  });

  test('answers a batch whose requests it cancels itself, in any order, and is free for the next one', async () => {
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    for (const batch of [
      [LIST, cancel],
      [cancel, LIST],
    ])
      expect(await jsonOf<Answer>(await send(batch))).toMatchObject({ id: 1, result: expect.any(Object) });
    expect((await send([cancel])).status).toBe(202);
    expect((await send(cancel)).status).toBe(202);
  });

  test('carries out nothing of a batch in which an id stands twice', async () => {
    const call = callOf('get_limits', {});
    await expectError(await send([call, call]), 400, 'VALIDATION_FAILED', 'id');
    const answers = await jsonOf<Answer[]>(await send([call, { ...call, id: 2 }]));
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  test('refuses what is no message, and too many or too large ones', async () => {
    const raw = (body: string, type = 'application/json') =>
      perch.request('/mcp', { method: 'POST', body, headers: { 'Content-Type': type } });
    await expectError(await raw('{'), 400, 'JSON_INVALID');
    await expectError(await raw('7'), 400, 'VALIDATION_FAILED', 'body');
    await expectError(await raw('[]'), 400, 'VALIDATION_FAILED', 'body');
    for (const empty of [{ jsonrpc: '2.0', method: '' }, { ...LIST, method: '' }, [LIST, { method: '' }]])
      await expectError(await send(empty), 400, 'VALIDATION_FAILED', 'method');
    await expectError(await raw(JSON.stringify(LIST), 'text/plain'), 415, 'UNSUPPORTED_MEDIA_TYPE');
    await expectError(await send(Array.from({ length: 21 }, () => LIST)), 400, 'VALIDATION_FAILED', 'body');
    await expectError(await raw(`${'['.repeat(600)}${']'.repeat(600)}`), 400, 'JSON_INVALID');
    await expectError(await raw(`[${'{},'.repeat(600_000)}{}]`), 400, 'JSON_INVALID');
    const packed = (message: object) =>
      perch.request('/mcp', {
        method: 'POST',
        body: gzipSync(JSON.stringify(message)),
        headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
      });
    expect((await packed(LIST)).status).toBe(200);
    // Some 3 KB in gzip.
    const dense = await packed({ ...LIST, padding: 'x'.repeat(3_000_000) });
    expect((await expectError(dense, 400, 'TOO_LARGE')).message).toContain('more than 50 times as long');
    const content = 'x'.repeat(17 * 1_048_576);
    await expectError(await send(callOf('publish_html', { content })), 400, 'TOO_LARGE');
    const page = 'x'.repeat(6 * 1_048_576);
    const answer = await jsonOf<Answer>(await send(callOf('publish_html', { content: page })));
    expect(answer.result.content[0]?.text).toContain('TOO_LARGE');
  });
});

test('is for programs and its own pages: another page is refused, also one whose name was made to lead here', async () => {
  const own = new URL(perch.url);
  const foreign = [
    { Origin: 'https://elsewhere.example' },
    { Origin: 'null' },
    { Origin: 'http://localhost:1' },
    { Origin: `http://rebound.example:${own.port}`, Host: `rebound.example:${own.port}` },
  ];
  for (const headers of foreign)
    await expectError(await send(LIST, { headers }), 403, 'CROSS_SITE_FORBIDDEN');
  expect((await send(LIST, { headers: { Origin: own.origin } })).status).toBe(200);
  const preflight = await perch.request('/mcp', {
    method: 'OPTIONS',
    headers: { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'POST' },
  });
  expect(preflight.headers.get('Access-Control-Allow-Origin')).toBeNull();
  expect(preflight.headers.get('Access-Control-Allow-Methods')).toBeNull();
});

test('tokens and passwords are in no log, and the log has the outcome of a call', async () => {
  const client = witness(perch);
  const [ownerToken, password] = [`own_${nanoid(40)}`, nanoid(20)];
  const given = { document: 1, ownerToken, password };
  const made = await jsonOf<Answer>(
    await client.request('/mcp', { method: 'POST', json: callOf('publish_json', given) }),
  );
  const { namespace, id } = made.result.structuredContent ?? {};
  const wrong = { namespace, id, document: 2, ownerToken: `${ownerToken}-not` };
  await client.request('/mcp', {
    method: 'POST',
    json: callOf('update_json', wrong),
    headers: { 'X-Owner-Token': ownerToken },
  });
  const logged = await client.logged();
  expect(logged.map(({ path, status, resourceId }) => ({ path, status, resourceId }))).toEqual([
    { path: '/mcp', status: 200, resourceId: id ?? '' },
    { path: '/mcp', status: 403, resourceId: id ?? '' },
  ]);
  const files = await Promise.all(perch.instance.logFiles.map((file) => readFile(file, 'utf8')));
  for (const secret of [ownerToken, password]) {
    expect(JSON.stringify(logged)).not.toContain(secret);
    expect(files.join('')).not.toContain(secret);
  }
});

test('calls count against the limits of the client, those of a batch one by one', async () => {
  const create = (id: number) => callOf('publish_kv', { key: 'a', value: id }, id);
  const response = await send([1, 2, 3, 4, 5, 6, 7, 8, 9].map(create));
  expect(response.headers.get('RateLimit-Limit')).toBe('8');
  const answers = (await response.json()) as Answer[];
  const failed = answers.filter(({ result }) => result.isError);
  expect(failed.length).toBeGreaterThan(0);
  expect(JSON.parse(failed[0]?.result.content[0]?.text ?? '')).toMatchObject({
    code: 'RATE_LIMITED',
    retryAfterSeconds: expect.any(Number),
  });
  await expectError(await perch.post({ json: { content: '<p>x' } }), 429, 'RATE_LIMITED');
});

const readsUsed = async (): Promise<number> => {
  const { windows } = await jsonOf<{ windows: Array<{ name: string; used: number }> }>(
    await perch.request('/api/limits'),
  );
  return windows.find(({ name }) => name === 'reads')?.used ?? 0;
};

/** How many reads a body counts as; a look at the limits is one itself. */
async function readsOf(json: unknown, headers: Record<string, string> = {}): Promise<number> {
  const before = await readsUsed();
  await send(json, { headers });
  return (await readsUsed()) - before - 1;
}

test('a body counts as a read unless it is nothing but calls of tools that count by themselves', async () => {
  const call = { jsonrpc: '2.0', method: 'tools/call' };
  const complete = callOf('get_limits', {});
  expect(await readsOf(LIST)).toBe(1);
  expect(await readsOf([LIST, { ...LIST, id: 2 }])).toBe(1);
  for (const incomplete of [
    call,
    { ...call, id: 1 },
    { ...complete, jsonrpc: undefined },
    { ...complete, id: undefined },
  ])
    expect(await readsOf(incomplete)).toBe(1);
  // The call itself is one more.
  expect(await readsOf([{ ...LIST, id: 2 }, complete])).toBe(2);
  expect(await readsOf(complete)).toBe(1);
  expect(await readsOf(complete, { 'MCP-Protocol-Version': '1999-01-01' })).toBe(1);
});

test('a body of more than 64 KB counts as a read for each MB that it begins', async () => {
  const padded = (bytes: number) => {
    const message = { ...LIST, padding: '' };
    return { ...message, padding: 'x'.repeat(bytes - JSON.stringify(message).length) };
  };
  for (const [bytes, reads] of [
    [65_535, 1],
    [65_536, 1],
    [65_537, 2],
    [1_048_576, 2],
    [1_048_577, 3],
  ] as const)
    expect(await readsOf(padded(bytes))).toBe(reads);
});

test('an argument that goes into an address has up to 2,000 characters', async () => {
  const [namespace, id] = ['public', 'never-was'];
  const read = async (length: number) => {
    const answer = await send(callOf('get_page', { namespace, id, password: 'x'.repeat(length) }));
    return (await jsonOf<Answer>(answer)).result.content[0]?.text ?? '';
  };
  for (const length of [1_999, 2_000]) expect(await read(length)).not.toContain('2000 characters');
  expect(JSON.parse(await read(2_001))).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ field: 'password' }],
  });
});

test('calls without an operation count as reads: of no tool, or with wrong arguments', async () => {
  const wrong = callOf('get_kv', { namespace: 'n' });
  const before = await readsUsed();
  const answers = await jsonOf<object[]>(await send([wrong, callOf('no_tool', {}, 2)]));
  expect(answers).toMatchObject([{ result: { isError: true } }, { error: { code: -32_602 } }]);
  // The second look counts, too.
  expect(await readsUsed()).toBe(before + 3);

  for (let left = 400; left > 0; left -= 20)
    await send(Array.from({ length: 20 }, (_, id) => ({ ...wrong, id })));
  for (const call of [wrong, callOf('no_tool', {})]) {
    const { result } = await jsonOf<Answer>(await send(call));
    expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject({ code: 'RATE_LIMITED' });
  }
});
