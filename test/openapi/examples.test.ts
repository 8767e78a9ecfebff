import { beforeAll, describe, expect, test } from 'bun:test';
import type { Operation } from '../../services/gateway/openapi/operation.ts';
import { expectDocumentedRaw } from '../acceptance/support/documented.ts';
import { openConnection } from '../acceptance/support/socket.ts';
import type { Instance } from '../instance.ts';
import { prepareExample } from './example-requests.ts';
import { documentInstance } from './instance.ts';
import { DOCUMENT, documentedOperations, resolve } from './schemas.ts';
import { validateExchange } from './validator.ts';

/** Long enough to install a server's Debian package first. */
const START_LIMIT_MS = 300_000;

let perch: Instance;
beforeAll(async () => {
  perch = await documentInstance();
}, START_LIMIT_MS);

for (const { method, path } of documentedOperations()) {
  const operation = resolve(['paths', path, method.toLowerCase()]).value as unknown as Operation;
  describe(`${method} ${path}`, () => {
    for (const example of operation['x-example-requests']) {
      test(`${example.summary}: ${example.status}`, async () => {
        const { path: address, init } = await prepareExample(perch.url, { method, path, operation }, example);
        const response = await fetch(`${perch.url}${address}`, init);
        const body = await response.bytes();
        const { status, headers } = response;
        expect([status, status === example.status ? '' : new TextDecoder().decode(body)]).toEqual([
          example.status,
          '',
        ]);
        expect(validateExchange({ method, path: address, status, headers, body })).toBe(null);
      });
    }

    if (method !== 'GET') return;
    test('HEAD: the same without a body', async () => {
      const [example] = operation['x-example-requests'];
      if (example === undefined) throw new Error('an operation without an example');
      const { path: address, init } = await prepareExample(perch.url, { method, path, operation }, example);
      const response = await fetch(`${perch.url}${address}`, { ...init, method: 'HEAD' });
      const { status, headers } = response;
      expect(status).toBe(example.status);
      const body = await response.bytes();
      expect(validateExchange({ method: 'HEAD', path: address, status, headers, body })).toBe(null);
    });
  });
}

test('OPTIONS says of every address what is documented', async () => {
  for (const [template, item] of Object.entries(DOCUMENT.paths as Record<string, object>)) {
    if (template === '/{filename}' || template === '/{key}.txt') continue;
    const path = template.replace(/\{ns\}/, 'team-notes').replace(/\{\w+\}/g, 'launch');
    const response = await fetch(`${perch.url}${path}`, {
      method: 'OPTIONS',
      headers: { 'User-Agent': 'PerchExamples/1.0' },
    });
    const isKey = template === '/api/kv/{ns}/{id}/hosting';
    const documented = Object.keys(item).map((method) => method.toUpperCase());
    const methods = isKey ? [...documented, 'PUT', 'DELETE'] : documented;
    const expected = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
    const allowed = response.headers.get('allow')?.split(', ') ?? [];
    expect([template, allowed.sort()]).toEqual([template, expected.sort()]);
    const { status, headers } = response;
    expect(validateExchange({ method: 'OPTIONS', path, status, headers, body: '' })).toBe(null);
  }
});

test('a Host that names none is a fault at every address', async () => {
  const paths = [
    '/',
    '/stats',
    '/healthz',
    '/assets/perch.css',
    '/api/gallery',
    '/public/nothing',
    '/nothing',
  ];
  for (const line of [...paths.map((path) => `GET ${path}`), 'OPTIONS /stats']) {
    const connection = await openConnection(perch.url);
    await connection.send(`${line} HTTP/1.1\r\nHost: \xe9\r\nConnection: close\r\n\r\n`);
    const response = await connection.response();
    expect([line, response.status]).toEqual([line, 400]);
    expectDocumentedRaw(line, response);
  }
});

const get = (path: string, headers: Record<string, string>) =>
  fetch(`${perch.url}${path}`, { headers: { 'User-Agent': 'PerchExamples/1.0', ...headers } });

test('/docs/json is the document, for this address', async () => {
  const served = (await (await get('/docs/json', {})).json()) as typeof DOCUMENT;
  expect(served).toEqual({ ...DOCUMENT, servers: [{ url: perch.url, description: 'This server.' }] });
});

for (const path of [
  '/docs/json',
  '/assets/swagger-ui-bundle.js',
  '/assets/swagger-ui.css',
  '/assets/home.en.js',
]) {
  test(`${path} comes compressed to who accepts it, and not again to who has it`, async () => {
    const answers = {
      identity: await get(path, { 'Accept-Encoding': 'identity' }),
      zstd: await get(path, { 'Accept-Encoding': 'gzip, deflate, br, zstd' }),
      gzip: await get(path, { 'Accept-Encoding': 'gzip' }),
    };
    expect(answers.identity.headers.get('content-encoding')).toBe(null);
    expect(answers.gzip.headers.get('content-encoding')).toBe('gzip');
    expect(answers.zstd.headers.get('content-encoding')).toBe('zstd');
    expect(Bun.hash(await answers.zstd.bytes())).toBe(Bun.hash(await answers.identity.clone().bytes()));
    expect(Bun.hash(await answers.gzip.bytes())).toBe(Bun.hash(await answers.identity.bytes()));
    const tags = Object.values(answers).map(({ headers }) => headers.get('etag') ?? '');
    expect(new Set(tags).size).toBe(3);
    for (const [encoding, { headers }] of Object.entries(answers)) {
      expect(headers.get('vary')).toContain('Accept-Encoding');
      const known = { 'Accept-Encoding': encoding, 'If-None-Match': headers.get('etag') ?? '' };
      expect((await get(path, known)).status).toBe(304);
    }
    expect((await get(path, { 'If-None-Match': '"another"' })).status).toBe(200);
  });
}
