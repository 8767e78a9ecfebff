import { describe, expect, test } from 'bun:test';
import { apiPath, codePath, ownedBy, raw, shortPath } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';
import { openConnection, rawRequest } from './support/socket.ts';

const perch = sharePerch();

/** A GET of exactly this path; `fetch` would tidy it up. */
const rawGet = (path: string) => rawRequest(perch.url, `GET ${path}`, ['User-Agent: PerchAcceptance/1.0']);

describe('a path', () => {
  test('may be percent-encoded', async () => {
    const page = await perch.publish('<p>found', { query: { ns: 'encoded', id: 'a.b-c_D' } });
    const paths = [
      '/encoded/%61.b-c_D',
      '/encoded/a%2eb%2Dc%5f%44',
      '/%65ncoded/a.b-c_D',
      '/%65%6e%63oded/%61%2E%62-c_D',
    ];
    for (const path of [...paths, ...paths.map((encoded) => `/api/html${encoded}`)]) {
      const response = await rawGet(path);
      expect([path, response.status, response.body]).toEqual([path, 200, '<p>found']);
    }
    expect((await perch.read(page, { method: 'HEAD' })).headers.get('X-Views')).toBe(String(paths.length));
  });

  test('of malformed percent-encoding leads nowhere', async () => {
    for (const path of [
      '/public/%',
      '/public/%zz',
      '/public/a%2',
      '/public/%ff%fe',
      '/public/%E0%A4%A',
      '/%zz/a',
      '/s/%E0%A4',
    ]) {
      for (const prefix of ['', '/api/html']) {
        const { status, body } = await rawGet(`${prefix}${path}`);
        expect([path, status]).toEqual([path, 404]);
        expect(JSON.parse(body)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
      }
    }
  });

  test('with an encoded slash, NUL or line break leads nowhere', async () => {
    await perch.publish('<p>x', { query: { ns: 'sly', id: 'a' } });
    for (const path of ['/sly%2Fa', '/sly/a%2Fb', '/sly/a%00', '/sly/a%0a', '/sly/%2e%2e%2fa', '/sly/a%5c']) {
      const { status, body } = await rawGet(path);
      expect([path, status]).toEqual([path, 404]);
      expect(JSON.parse(body).code).toBe('NOT_FOUND');
    }
  });

  test('that is far too long leads nowhere', async () => {
    for (const length of [65, 1_000, 10_000])
      for (const path of [
        `/public/${'x'.repeat(length)}`,
        `/${'x'.repeat(length)}/a`,
        `/public/${'%61'.repeat(length / 3)}`,
        `/public/a/${'b/'.repeat(length / 2)}`,
        `/s/${'x'.repeat(length)}`,
        `/api/html/public/${'x'.repeat(length)}`,
      ])
        await expectError(await perch.request(path), 404, 'NOT_FOUND');
  });

  test('with dot segments never leaves its place', async () => {
    const page = await perch.publish('<p>dots', { query: { ns: 'dotted', id: 'a' } });
    for (const path of [
      '/dotted/../../etc/passwd',
      '/assets/../package.json',
      '/assets/..%2f..%2fpackage.json',
      '/assets/%2e%2e/package.json',
      '/../../../etc/passwd',
      '/s/../../etc/passwd',
    ]) {
      const { status, body } = await rawGet(path);
      expect([path, status]).toEqual([path, 404]);
      expect(JSON.parse(body).code).toBe('NOT_FOUND');
    }
    const { status } = await rawGet(`/x/..${shortPath(page)}`);
    expect(status).toBe(200);
  });

  test('of a page may end in a slash', async () => {
    const page = await perch.publish('<p>slash');
    const response = await perch.request(`${shortPath(page)}/?raw=true`, { redirect: 'follow' });
    expect([response.status, await response.text()]).toEqual([200, '<p>slash']);
    expect((await perch.read(page, { method: 'HEAD' })).headers.get('X-Views')).toBe('1');
  });

  test('below a page leads nowhere', async () => {
    const page = await perch.publish('<p>x');
    for (const sub of ['index.html', 'a/b', 'settings', '%2e%2e'])
      await expectError(await perch.request(`${shortPath(page)}/${sub}`), 404, 'NOT_FOUND');
    await expectError(await perch.request('/public/never-was/index.html'), 404, 'NOT_FOUND');
    await expectError(await perch.request('/public/never-was/'), 404, 'NOT_FOUND');
  });

  test('of the API that no item can have leads nowhere, for its owner, too', async () => {
    const headers = { 'X-Owner-Token': 'a-token-of-somebody' };
    for (const path of ['public/a%00b', 'public/%0a', 'A%00/b', `public/${'x'.repeat(65)}`])
      for (const part of ['settings', 'source'])
        await expectError(await perch.request(`/api/html/${path}/${part}`, { headers }), 404, 'NOT_FOUND');
  });

  test('is found under a host name of any length', async () => {
    for (const host of ['x', 'web', 'a.very.long.name.example.org:65535']) {
      const connection = await openConnection(perch.url);
      const lines = ['GET /report HTTP/1.1', `Host: ${host}`, 'User-Agent: x/1', 'Connection: close'];
      await connection.send(`${lines.join('\r\n')}\r\n\r\n`);
      expect([host, (await connection.response()).status]).toEqual([host, 200]);
    }
  });

  test('is not asked for without a host', async () => {
    for (const [method, host] of [
      ['GET', ''],
      ['GET', 'a b'],
      ['HEAD', '[::'],
      ['HEAD', 'a:99999'],
      ['OPTIONS', '%zz'],
    ]) {
      const connection = await openConnection(perch.url);
      const lines = [`${method} /report HTTP/1.1`, `Host: ${host}`, 'User-Agent: x/1', 'Connection: close'];
      await connection.send(`${lines.join('\r\n')}\r\n\r\n`);
      const { status, body } = await connection.response();
      expect([method, host, status]).toEqual([method, host, 400]);
      if (method === 'GET') expect(JSON.parse(body)).toMatchObject({ code: 'VALIDATION_FAILED' });
    }
  });

  test('is not asked for by two hosts', async () => {
    for (const path of ['/report', '/public/x', '/api/stats']) {
      const connection = await openConnection(perch.url);
      const lines = [`GET ${path} HTTP/1.1`, 'Host: a', 'Host: b', 'User-Agent: x/1', 'Connection: close'];
      await connection.send(`${lines.join('\r\n')}\r\n\r\n`);
      const { status, body } = await connection.response();
      expect([path, status]).toEqual([path, 400]);
      expect(JSON.parse(body)).toMatchObject({ code: 'VALIDATION_FAILED' });
    }
  });

  test('takes a length that is announced twice alike, and no other list of lengths', async () => {
    const body = JSON.stringify({ content: '<p>twice' });
    const answers: Array<[string, number]> = [];
    for (const lengths of [[body.length, body.length], [body.length, body.length + 1], ['1x']]) {
      const connection = await openConnection(perch.url);
      const lines = [
        'POST /api/html HTTP/1.1',
        'Host: x',
        'User-Agent: x/1',
        'Content-Type: application/json',
      ];
      const announced = lengths.map((length) => `Content-Length: ${length}`);
      await connection.send(`${[...lines, ...announced, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`);
      answers.push([lengths.join(' and '), (await connection.response()).status]);
    }
    const [twice, ...others] = answers.map(([, status]) => status);
    expect(twice).toBe(201);
    expect(others).toEqual([400, 400]);
    // The room for bodies is what it was.
    for (let n = 0; n < 20; n++) expect((await perch.publish(`<p>${n}`)).id).toBeString();
  });

  test.each([
    ['OPTIONS *', 400, 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['no host', 400, 'GET /report HTTP/1.1\r\nUser-Agent: x/1\r\n\r\n'],
    ['an empty line in front', 400, '\r\nGET /report HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a list of lengths', 400, 'POST /api/html HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\n<p>ab'],
    ['bare line feeds', 505, 'GET /report HTTP/1.1\nHost: x\n\n'],
  ])('with %s is refused by the runtime with %p, without a body', async (_, refusal, request) => {
    const connection = await openConnection(perch.url);
    await connection.send(request);
    const { status, headers, body } = await connection.response();
    expect([status, headers, body]).toEqual([refusal, { connection: 'close' }, '']);
  });

  test('of slashes alone leads nowhere', async () => {
    for (const path of ['//', '///']) expect([path, (await rawGet(path)).status]).toEqual([path, 404]);
  });

  test('knows only its own case', async () => {
    const page = await perch.publish('<p>x', { query: { ns: 'lower', id: 'Mixed' } });
    expect((await perch.read(page)).status).toBe(200);
    for (const path of ['/lower/mixed', '/LOWER/Mixed', '/API/html/lower/Mixed'])
      await expectError(await perch.request(path), 404, 'NOT_FOUND');
  });

  test('in a reserved namespace is no page', async () => {
    for (const namespace of ['api', 'admin', 'static', 'preview', 'mcp'])
      await expectError(await perch.request(`/${namespace}/something`), 404, 'NOT_FOUND');
  });
});

describe('/s/{code}', () => {
  test('leads to the page, with the query kept', async () => {
    const page = await perch.publish('<p>x', { query: { ns: 'short' } });
    const path = codePath(page);
    for (const query of ['', '?raw=true&x=%20a+b&x=2', '?p=a%26b']) {
      const response = await perch.request(`${path}${query}`);
      expect(response.status).toBe(302);
      expect(response.headers.get('Location')).toBe(`${page.url}${query}`);
    }
    expect((await perch.request(path, { method: 'HEAD' })).status).toBe(302);
    const followed = await perch.request(path, { redirect: 'follow' });
    expect(await followed.text()).toEndWith('<p>x');
    expect(followed.headers.get('X-Views')).toBe('1');
  });

  test('does not tell the password of a protected page, and does not need it', async () => {
    const page = await perch.publish('<p>x', { headers: { 'X-Password': 'secret' } });
    expect((await perch.request(codePath(page))).status).toBe(302);
  });

  test('unknown is 404', async () => {
    for (const code of ['aaaaaaa', 'short', 'toolong1', '%20%20%20', 'a.b.c.d'])
      await expectError(await perch.request(`/s/${code}`), 404, 'NOT_FOUND');
    await expectError(await perch.request('/s/'), 404, 'NOT_FOUND');
  });

  test('knows its case', async () => {
    const page = await perch.publish('<p>x');
    const code = codePath(page).slice(3);
    const swapped = [...code]
      .map((letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()))
      .join('');
    if (swapped !== code) expect((await perch.request(`/s/${swapped}`)).status).toBe(404);
  });

  test('of a deleted page is 410 in public and 404 elsewhere', async () => {
    for (const [namespace, status, code] of [
      ['public', 410, 'GONE'],
      ['gone-quietly', 404, 'NOT_FOUND'],
    ] as const) {
      const page = await perch.publish('<p>x', { query: { ns: namespace } });
      await perch.api(page, { method: 'DELETE', ...ownedBy(page) });
      await expectError(await perch.last.request(codePath(page)), status, code);
    }
  });

  test('of a deleted page is 410 also when its address was used again', async () => {
    const query = { id: 'twice' };
    const first = await perch.publish('<p>1', { query });
    await perch.api(first, { method: 'DELETE', ...ownedBy(first) });
    const second = await perch.publish('<p>2', { query });
    await expectError(await perch.request(codePath(first)), 410, 'GONE');
    expect((await perch.request(codePath(second))).status).toBe(302);
    await perch.api(second, { method: 'DELETE', ...ownedBy(second) });
    for (const page of [first, second]) await expectError(await perch.request(codePath(page)), 410, 'GONE');
  });
});

test('an update by a percent-encoded address reaches the page', async () => {
  const page = await perch.publish('<p>old', { query: { ns: 'encoded', id: 'up.date' } });
  const path = apiPath(page).replace('up.date', '%75p%2Edate');
  expect(
    (await perch.request(path, { method: 'PUT', ...raw('<p>new', 'text/html', ownedBy(page)) })).status,
  ).toBe(200);
  expect(await (await perch.last.read(page)).text()).toEndWith('<p>new');
});
