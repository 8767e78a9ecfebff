import { describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { PNG_BASE64 } from '../../services/gateway/openapi/samples.ts';
import { jsonOf, type Published, type RequestOptions, raw } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { KINDS } from './support/kinds.ts';
import { form } from './support/multipart.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const PNG = Uint8Array.from(Buffer.from(PNG_BASE64, 'base64'));

const bytes = (text: string) => new TextEncoder().encode(text);

/** As `curl -T` sends: bytes without a type. */
const put = (path: string, content: string | Uint8Array, options: RequestOptions = {}) =>
  perch.request(path, {
    method: 'PUT',
    body: typeof content === 'string' ? bytes(content) : content,
    ...options,
    headers: { Accept: '*/*', ...options.headers },
  });

/** An item that a PUT has published, as its reader and its owner find it. */
async function published(response: Response) {
  const text = await response.text();
  expect([response.status, text]).toEqual([201, expect.stringMatching(/^http\S+\n$/)]);
  expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
  const token = response.headers.get('X-Owner-Token') ?? '';
  const { pathname } = new URL(text.trim());
  const check = await perch.last.request(`/api${pathname}/owner-check`, {
    headers: { 'X-Owner-Token': token },
  });
  const { type, isOwner } = await jsonOf<{ type: string; isOwner: boolean }>(check);
  expect(isOwner).toBe(true);
  const read = await perch.last.request(`${pathname}?raw=true`);
  return { kind: type, type: read.headers.get('Content-Type'), body: await read.text(), pathname };
}

describe('a file that is put at the root', () => {
  const BY_NAME: Array<[name: string, content: string, kind: string, type: string]> = [
    ['report.html', '<h1>Report</h1>', 'html', 'text/html; charset=utf-8'],
    ['NOTES.MD', '# Notes', 'html', 'text/markdown; charset=utf-8'],
    ['notes.txt', 'plain', 'html', 'text/plain; charset=utf-8'],
    ['config.yml', 'a: 1', 'html', 'text/yaml; charset=utf-8'],
    ['app.js', 'let a', 'html', 'text/javascript; charset=utf-8'],
    ['data.json', '{"a":[1]}', 'json', 'application/json'],
    ['script.ts', 'let a: number', 'file', 'text/plain; charset=utf-8'],
    ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'file', 'image/svg+xml'],
    ['README', 'no extension', 'html', 'text/plain; charset=utf-8'],
    ['.profile', 'export A=1', 'html', 'text/plain; charset=utf-8'],
    ['gr%C3%B6%C3%9Fe%20a.md', '# Größe', 'html', 'text/markdown; charset=utf-8'],
  ];
  test.each(BY_NAME)('becomes what its name says: %s', async (name, content, kind, type) => {
    const made = await published(await put(`/${name}`, content));
    expect(made).toMatchObject({ kind, type, body: content });
  });

  test('becomes what its content says, where its name does not', async () => {
    expect(await published(await put('/photo', PNG))).toMatchObject({ kind: 'file', type: 'image/png' });
    expect(await published(await put('/', '<p>from a pipe'))).toMatchObject({
      kind: 'html',
      body: '<p>from a pipe',
    });
    expect(await published(await put('/', PNG))).toMatchObject({ kind: 'file', type: 'image/png' });
  });

  test('takes the parameters of creates, and answers in JSON to who prefers it', async () => {
    const query = { ns: 'shell', id: 'by-name', ttl: 3, tags: 'a' };
    const response = await put('/launch.md', '# Launch', { query, headers: { Accept: 'application/json' } });
    const item = await jsonOf<Published>(response, 201);
    expect(item).toMatchObject({
      namespace: 'shell',
      id: 'by-name',
      ttlDays: 3,
      tags: ['a'],
      filename: 'launch.md',
    });
    const again = await put('/launch.md', '# Launch', { query });
    await expectError(again, 409, 'ID_TAKEN');
  });

  test('is refused by the rules of its kind', async () => {
    await expectError(await put('/setup.exe', 'x'), 415, 'UNSUPPORTED_MEDIA_TYPE');
    await expectError(await put('/photo.png', 'no picture'), 422, 'CONTENT_REJECTED');
    await expectError(await put('/data.json', '{'), 400, 'JSON_INVALID');
    await expectError(await put('/page.html', 'a\0b'), 422, 'CONTENT_REJECTED');
    await expectError(await put('/page.html', ''), 400, 'VALIDATION_FAILED');
    await expectError(
      await put('/page.html', '<p>x', { query: { filename: 'x' } }),
      400,
      'VALIDATION_FAILED',
      'filename',
    );
    await expectError(await put(`/${'x'.repeat(201)}.md`, 'x'), 400, 'VALIDATION_FAILED', 'filename');
  });

  test('is asked for where somebody has tried another way', async () => {
    const hint = `To publish a file: curl -T FILE ${perch.url}/`;
    for (const [method, path] of [
      ['POST', '/'],
      ['PUT', '/folder/report.html'],
      ['PUT', '/folder/sub/report.html'],
    ] as const) {
      const response = await perch.request(path, { method, ...raw('x', 'application/octet-stream') });
      const { message } = await expectError(response, 405, 'METHOD_NOT_ALLOWED');
      expect([path, message]).toEqual([path, expect.stringContaining(`${method} is not possible here.`)]);
      expect([path, message]).toEqual([path, expect.stringContaining(hint)]);
    }
    for (const [method, path] of [
      ['PUT', '/gallery'],
      ['DELETE', '/'],
      ['POST', '/folder/report.html'],
      ['PUT', '/api/gallery'],
    ] as const) {
      const response = await perch.request(path, { method });
      const { message } = await expectError(response, 405, 'METHOD_NOT_ALLOWED');
      expect([path, message]).toEqual([path, expect.not.stringContaining('curl')]);
    }
  });

  test('is not looked for by any other method, nor where the service has an address', async () => {
    for (const method of ['GET', 'POST', 'DELETE'])
      await expectError(await perch.request('/report.html', { method }), 404, 'NOT_FOUND');
    for (const path of ['/docs', '/gallery', '/stats', '/robots.txt', '/admin'])
      await expectError(await put(path, 'x'), 405, 'METHOD_NOT_ALLOWED');
    for (const name of ['/%', '/%ff.html', '/%zz/'])
      await expectError(await put(name, 'x', { headers: { Accept: 'text/html' } }), 404, 'NOT_FOUND');
    for (const path of ['/api', '/assets']) await expectError(await put(path, 'x'), 404, 'NOT_FOUND');
  });
});

test('OPTIONS lets scripts of other origins send a file, and read that nothing is at an address', async () => {
  for (const [path, allow, sent] of [
    ['/report.html', 'OPTIONS, PUT', 'OPTIONS, PUT'],
    ['/', 'GET, HEAD, OPTIONS, PUT', 'GET, HEAD, OPTIONS, PUT'],
    ['/api/nothing/is/here', 'OPTIONS', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'],
    ['/api/admin/nothing', 'OPTIONS', null],
  ] as const) {
    const { status, headers } = await perch.request(path, { method: 'OPTIONS' });
    expect([path, status, headers.get('Allow'), headers.get('Access-Control-Allow-Methods')]).toEqual([
      ...[path, 204, allow, sent],
    ]);
  }
});

describe('POST /api/html', () => {
  test('takes text without a type, and text that curl calls a form', async () => {
    const typed = raw('<h1>A & B = C</h1>', 'application/x-www-form-urlencoded');
    expect(await jsonOf<Published>(await perch.post(typed), 201)).toMatchObject({ format: 'HTML' });
    const plain = raw('a=1&b=2', 'application/x-www-form-urlencoded');
    const page = await jsonOf<Published>(await perch.post(plain), 201);
    expect(page.format).toBe('TEXT');
    expect(await (await perch.read(page, { query: { raw: 1 } })).text()).toBe('a=1&b=2');
    const untyped = await perch.post({ body: bytes('just text') });
    expect(await jsonOf<Published>(untyped, 201)).toMatchObject({ format: 'TEXT' });
    const picture = await perch.post({ body: PNG });
    expect(await jsonOf<{ contentType: string }>(picture, 201)).toMatchObject({ contentType: 'image/png' });
  });

  test('refuses there what is no text', async () => {
    const binary = Uint8Array.of(0xff, 0xfe, 0, 1);
    await expectError(await perch.post({ body: binary }), 422, 'CONTENT_REJECTED');
    const typed = raw(PNG, 'application/x-www-form-urlencoded');
    await expectError(await perch.post(typed), 422, 'CONTENT_REJECTED');
  });
});

test('a file from standard input gets its name from its content', async () => {
  const upload = async (content: string | Uint8Array, options: RequestOptions = {}) =>
    await perch.request('/api/files', {
      method: 'POST',
      ...form([{ name: 'file', filename: '-', content }], options),
    });
  const named: Array<[content: string | Uint8Array, filename: string]> = [
    [PNG, 'upload.png'],
    ['text', 'upload.txt'],
    ['<p>html', 'upload.html'],
  ];
  for (const [content, filename] of named)
    expect(await jsonOf<Record<string, unknown>>(await upload(content), 201)).toMatchObject({ filename });
  const given = await upload('a,b', { query: { filename: 'table.csv' } });
  expect(await jsonOf<Record<string, unknown>>(given, 201)).toMatchObject({ filename: 'table.csv' });
  await expectError(await upload(Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0)), 422, 'CONTENT_REJECTED');
});

describe('a body in gzip', () => {
  const zipped = (options: RequestOptions): RequestOptions => {
    const { body, json, headers, ...rest } = options;
    const content = json === undefined ? body : JSON.stringify(json);
    const typed = json === undefined ? {} : { 'Content-Type': 'application/json' };
    const packed = gzipSync(typeof content === 'string' ? content : (content as Uint8Array));
    return { ...rest, body: packed, headers: { ...typed, ...headers, 'Content-Encoding': 'gzip' } };
  };

  test.each(KINDS)('is taken for a create of kind $name, and for its change', async (kind) => {
    const created = await perch.request(kind.path, {
      method: 'POST',
      ...zipped(kind.create('in gzip', { query: { ns: 'zipped' } })),
    });
    const item = await jsonOf<Published>(created, 201);
    const read = await perch.last.request(`/${item.namespace}/${item.id}${kind.content.short}`);
    expect(await read.text()).toBe(kind.bytesOf('in gzip'));
    if (kind.change === null) return;
    const { headers, ...change } = zipped(kind.change.options);
    const changed = await perch.request(`${kind.path}/${item.namespace}/${item.id}${kind.change.at}`, {
      method: 'PUT',
      ...change,
      headers: { ...headers, 'X-Owner-Token': item.ownerToken },
    });
    expect(changed.status).toBe(200);
  });

  test('is measured by what it unpacks to', async () => {
    const page = (size: number) => zipped(raw(`<p>${'x'.repeat(size - 3)}`, 'text/html'));
    // Of random letters, or its few bytes would be a bomb.
    const letters = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536))).toString('hex');
    const large = letters.repeat(41).slice(0, 5 * 1_048_576 - 3);
    const most = await jsonOf<Published>(await perch.post(zipped(raw(`<p>${large}`, 'text/html'))), 201);
    expect(most.sizeBytes).toBe(5 * 1_048_576);
    await expectError(await perch.post(zipped(raw(`<p>${large}x`, 'text/html'))), 422, 'TOO_LARGE');
    expect((await jsonOf<Published>(await perch.post(page(1_000_000)), 201)).sizeBytes).toBe(1_000_000);
  });

  test('that is a bomb is refused: of pages, documents, files and sites', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1_048_576, 0x20), { level: 9 });
    expect(bomb.length).toBeLessThan(110_000);
    const send = (path: string, type: string, body = bomb) =>
      perch.request(path, {
        method: 'POST',
        body,
        headers: { 'Content-Type': type, 'Content-Encoding': 'gzip' },
      });
    await expectError(await send('/api/html', 'text/html'), 422, 'TOO_LARGE');
    await expectError(await send('/api/json', 'application/json'), 400, 'TOO_LARGE');
    await expectError(await send('/api/sites', 'application/zip'), 400, 'TOO_LARGE');
    const small = await send('/api/html', 'text/html', gzipSync(Buffer.alloc(3 * 1_048_576, 0x20)));
    const { message } = await expectError(small, 422, 'TOO_LARGE');
    expect(message).toContain('more than 200 times as long');
    const twice = gzipSync(bomb);
    const packed = { body: twice, headers: { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' } };
    await expectError(await perch.post(packed), 422, 'CONTENT_REJECTED');
  });

  test('may have several members', async () => {
    const members = Buffer.concat(['<p>one', '<p>two'].map((text) => gzipSync(text)));
    const page = await perch.publish(raw(members, 'text/html', { headers: { 'Content-Encoding': 'gzip' } }));
    expect(await (await perch.read(page)).text()).toEndWith('<p>one<p>two');
  });

  test('that is none, is cut off, has something behind its end or has another encoding is refused', async () => {
    const whole = gzipSync('<p>whole');
    const send = (body: Uint8Array, encoding = 'gzip') =>
      perch.post(raw(body, 'text/html', { headers: { 'Content-Encoding': encoding } }));
    await expectError(await send(bytes('<p>not packed')), 400, 'VALIDATION_FAILED', 'body');
    await expectError(await send(whole.subarray(0, -5)), 400, 'VALIDATION_FAILED', 'body');
    for (const rest of [bytes('rest'), new Uint8Array(100), Buffer.concat([new Uint8Array(1), whole])])
      await expectError(await send(Buffer.concat([whole, rest])), 400, 'VALIDATION_FAILED', 'body');
    await expectError(await send(new Uint8Array()), 400, 'VALIDATION_FAILED');
    for (const encoding of ['br', 'deflate', 'gzip, gzip'])
      await expectError(await send(whole, encoding), 415, 'UNSUPPORTED_MEDIA_TYPE');
    for (const encoding of ['GZIP', 'x-gzip']) expect((await send(whole, encoding)).status).toBe(201);
    expect((await send(bytes('<p>as it is'), 'identity')).status).toBe(201);
  });
});

describe('a create with a parameter that it does not know', () => {
  test.each(KINDS)('is refused by name, and told what may have been meant ($name)', async (kind) => {
    const refused = async (name: string) => {
      const response = await perch.request(kind.path, {
        method: 'POST',
        ...kind.create('x', { query: { [name]: 'y' } }),
      });
      const { details } = await expectError(response, 400, 'VALIDATION_FAILED', name);
      return details?.find(({ field }) => field === name)?.message ?? '';
    };
    for (const [name, meant] of [
      ...([
        ['ns ', 'ns'],
        ['NS', 'ns'],
        ['namspace', 'namespace'],
        ['tag', 'tags'],
        ['expires', 'ttl'],
      ] as const),
      ...([
        ['ttl_day', 'ttl_days'],
        ['pasword', 'password'],
        ['owner_token', 'token'],
        ['tilte', 'title'],
      ] as const),
    ])
      expect(await refused(name)).toContain(`Did you mean "${meant}"?`);
    expect(await refused('utterly-unknown')).toContain('It takes ns, namespace, id');
  });

  test('is refused for the parameters of other kinds, too', async () => {
    await expectError(
      await perch.post(raw('<p>x', 'text/html', { query: { entry: 'a' } })),
      400,
      'VALIDATION_FAILED',
      'entry',
    );
  });

  test.each(KINDS)('takes those of pages, without effect on other kinds ($name)', async (kind) => {
    const query = { format: 'markdown', filename: 'notes.md', showTopBar: 'false' };
    const response = await perch.request(kind.path, { method: 'POST', ...kind.create('x', { query }) });
    expect(response.status).toBe(201);
  });

  test('publishes nothing, and not to everybody with an empty namespace', async () => {
    for (const kind of KINDS) {
      for (const name of ['ns', 'namespace'])
        for (const value of ['', ' ']) {
          const sent = kind.create('x', { query: { [name]: value } });
          await expectError(
            await perch.request(kind.path, { method: 'POST', ...sent }),
            400,
            'NAMESPACE_INVALID',
            'ns',
          );
        }
      if (!kind.takesFields) continue;
      const inBody = kind.create('x', {}, { ns: '' });
      await expectError(
        await perch.request(kind.path, { method: 'POST', ...inBody }),
        400,
        'NAMESPACE_INVALID',
        'ns',
      );
    }
  });
});
