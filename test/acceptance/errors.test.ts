import { describe, expect, test } from 'bun:test';
import { apiPath, codePath, ownedBy, raw, shortPath } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';
import { rawRequest } from './support/socket.ts';

const perch = sharePerch();

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('unknown routes', () => {
  const paths = [
    '/nothing',
    '/api',
    '/api/',
    '/api/nothing',
    '/api/gallery/public',
    '/api/html/public/a/nothing',
    '/a/b/c/d/e',
    '/.env',
    '/ab/page',
  ];
  for (const path of paths) {
    test(`${path} is 404 for every method`, async () => {
      // A file that is put at the root is published under its name.
      const isFile = /^\/[^/]+$/.test(path) && path !== '/api';
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE', ...(isFile ? [] : ['PUT'])])
        await expectError(await perch.request(path, { method }), 404, 'NOT_FOUND');
      const head = await perch.request(path, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([404, '']);
      expect(head.headers.get('X-Request-Id')).not.toBe(null);
    });
  }
});

describe('wrong methods', () => {
  const routes: Array<[path: string, allowed: string[], wrong: string[]]> = [
    ['/api/html', ['GET', 'HEAD', 'POST', 'OPTIONS'], ['PUT', 'PATCH', 'DELETE']],
    ['/api/html/public', ['DELETE', 'OPTIONS'], ['GET', 'POST', 'PUT', 'PATCH']],
    ['/api/html/public/some', ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'], ['POST', 'PATCH']],
    ['/api/html/public/some/settings', ['GET', 'HEAD', 'OPTIONS'], ['POST', 'PUT', 'PATCH', 'DELETE']],
    ['/api/html/public/some/source', ['GET', 'HEAD', 'OPTIONS'], ['POST', 'PUT', 'DELETE']],
    ['/public/some', ['GET', 'HEAD', 'OPTIONS'], ['POST', 'PUT', 'PATCH', 'DELETE']],
    ['/s/abcdefg', ['GET', 'HEAD', 'OPTIONS'], ['POST', 'PUT', 'DELETE']],
    ['/healthz', ['GET', 'HEAD', 'OPTIONS'], ['POST', 'DELETE']],
  ];
  test.each(routes)('%s says what is allowed', async (path, allowed, wrong) => {
    for (const method of wrong) {
      const response = await perch.request(path, { method });
      expect(response.headers.get('Allow')?.split(', ').sort()).toEqual(allowed.toSorted());
      await expectError(response, 405, 'METHOD_NOT_ALLOWED');
    }
  });
});

describe('a browser that follows a link', () => {
  test('gets a page with the same status', async () => {
    const gone = await perch.publish('<p>x');
    await perch.api(gone, { method: 'DELETE', ...ownedBy(gone) });
    const links: Array<[path: string, status: number]> = [
      ['/public/never-was', 404],
      ['/some-space/never-was', 404],
      [shortPath(gone), 410],
      [codePath(gone), 410],
      ['/s/abcdefg', 404],
      ['/public/abc)', 404],
      ['/Public/abc', 404],
      ['/public', 404],
      ['/nothing', 404],
      ['/apis', 404],
      ['/docs/nothing', 404],
      ['/a/b/c/d/e', 404],
    ];
    for (const [path, status] of links) {
      const response = await perch.request(path, { headers: BROWSER });
      expect([path, response.status]).toEqual([path, status]);
      expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('Content-Security-Policy')).not.toContain('unsafe-inline');
      const body = await response.text();
      expect(body).toContain(String(status));
      expect(body).toContain(response.headers.get('X-Request-Id') ?? '-');
      expect(body).toContain('stylesheet');
    }
  });

  test('gets no markup out of the address', async () => {
    const response = await perch.request('/public/%3Cscript%3Ealert(1)%3C%2Fscript%3E', { headers: BROWSER });
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('<script>alert');
  });

  test('gets JSON from the API as everyone', async () => {
    await expectError(
      await perch.request('/api/html/public/never-was', { headers: BROWSER }),
      404,
      'NOT_FOUND',
    );
    await expectError(
      await perch.post(raw('x', 'image/png', { headers: BROWSER })),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
  });

  test('gets JSON where only programs go', async () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/nothing',
      '/assets',
      '/assets/nothing.css',
      '/sitemap.xml?part=999',
    ])
      await expectError(await perch.request(path, { headers: BROWSER }), 404, 'NOT_FOUND');
  });

  test('gets JSON when it would rather have that', async () => {
    for (const Accept of [
      ...['application/json', '*/*', 'text/html;q=0.5, application/json', 'image/png'],
      ...['text/markdown, text/html;q=0.9', 'text/plain, text/html;q=0.1'],
    ])
      for (const path of ['/public/never-was', '/nothing'])
        await expectError(await perch.request(path, { headers: { Accept } }), 404, 'NOT_FOUND');
  });
});

describe('errors', () => {
  test('have an id of their own each, which a client cannot choose', async () => {
    const ids = new Set<string>();
    for (let n = 0; n < 5; n++) {
      const response = await perch.request('/nothing', { headers: { 'X-Request-Id': 'mine' } });
      ids.add((await expectError(response, 404, 'NOT_FOUND')).requestId);
    }
    expect(ids.size).toBe(5);
    expect(ids.has('mine')).toBe(false);
  });

  test('have a HEAD form: the status, no body', async () => {
    const page = await perch.publish('<p>x', { headers: { 'X-Password': 'secret' } });
    for (const [path, status] of [
      [shortPath(page), 403],
      ['/public/never-was', 404],
      [`${apiPath(page)}/settings`, 400],
    ] as const) {
      const head = await perch.request(path, { method: 'HEAD' });
      expect([path, head.status, await head.text()]).toEqual([path, status, '']);
    }
  });

  test('are not kept by caches', async () => {
    const response = await perch.request('/public/never-was');
    expect(response.headers.get('Cache-Control')).toBe('no-store');
  });
});

describe('User-Agent', () => {
  const paths = ['/', '/public/some', '/api/html/public/some', '/nothing', '/s/abcdefg'];
  for (const [what, headers] of [
    ['missing', []],
    ['empty', ['User-Agent:']],
    ['blank', ['User-Agent:    ']],
  ] as const) {
    test(`${what} is refused`, async () => {
      for (const path of paths) {
        const { status, body } = await rawRequest(perch.url, `GET ${path}`, [...headers]);
        expect([path, status]).toEqual([path, 400]);
        expect(JSON.parse(body)).toMatchObject({ status: 400, code: 'USER_AGENT_REQUIRED' });
      }
      const head = await rawRequest(perch.url, 'HEAD /public/some', [...headers]);
      expect([head.status, head.body]).toEqual([400, '']);
      const post = await rawRequest(perch.url, 'POST /api/html', [
        ...headers,
        'Content-Type: text/html',
        'Content-Length: 0',
      ]);
      expect(post.status).toBe(400);
    });
  }

  test('is not needed for health, metrics, assets and preflights', async () => {
    for (const path of ['/healthz', '/metrics'])
      expect((await rawRequest(perch.url, `GET ${path}`)).status).toBe(200);
    // Answers 503 where a dependency takes seconds to answer.
    expect([200, 503]).toContain((await rawRequest(perch.url, 'GET /readyz')).status);
    const home = await (await perch.request('/')).text();
    const assets = home.match(/\/assets\/[\w.-]+/g) ?? [];
    expect(assets.length).toBeGreaterThan(0);
    for (const path of assets)
      expect([path, (await rawRequest(perch.url, `GET ${path}`)).status]).toEqual([path, 200]);
    expect((await rawRequest(perch.url, 'GET /assets/nothing.css')).status).toBe(404);
    expect((await rawRequest(perch.url, 'OPTIONS /api/html')).status).toBe(204);
  });

  test('may be anything that is not blank', async () => {
    const page = await perch.publish('<p>x');
    for (const agent of ['x', 'curl/8.5.0', 'Mozilla/5.0 (X11; Linux x86_64)', '1234'])
      expect((await perch.read(page, { headers: { 'User-Agent': agent } })).status).toBe(200);
  });
});

describe('CORS', () => {
  const EXPOSED = [
    'X-Views',
    'ETag',
    'X-Existing-Resource',
    'X-Show-Top-Bar',
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
    'Retry-After',
    'X-Request-Id',
  ];
  const list = (response: Response, name: string) =>
    (response.headers.get(name) ?? '').toLowerCase().split(/\s*,\s*/);

  test('lets any origin read every answer, without credentials', async () => {
    const page = await perch.publish('<p>x');
    const headers = { Origin: 'https://elsewhere.example' };
    const answers = [
      await perch.read(page, { headers }),
      await perch.api(page, { headers }),
      await perch.post(raw('<p>x', 'text/html', { headers })),
      await perch.request('/nothing', { headers }),
      await perch.post(raw('x', 'image/png', { headers })),
      await perch.request(codePath(page), { headers }),
    ];
    for (const answer of answers) {
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(answer.headers.has('Access-Control-Allow-Credentials')).toBe(false);
      for (const name of EXPOSED)
        expect(list(answer, 'Access-Control-Expose-Headers')).toContain(name.toLowerCase());
    }
  });

  const targets: Array<[path: string, methods: string[]]> = [
    ['/api/html', ['POST']],
    ['/api/html/public/some', ['GET', 'PUT', 'DELETE']],
    ['/api/html/public/some/settings', ['GET']],
    ['/api/html/public/some/source', ['GET']],
    ['/public/some', ['GET', 'HEAD']],
    ['/s/abcdefg', ['GET']],
  ];
  const sent = [
    'content-type',
    'x-owner-token',
    'x-password',
    'idempotency-key',
    'if-none-match',
    'if-match',
    'range',
    'user-agent',
  ];
  test.each(targets)('preflights to %s are answered', async (path, methods) => {
    for (const method of methods) {
      const response = await perch.request(path, {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://elsewhere.example',
          'Access-Control-Request-Method': method,
          'Access-Control-Request-Headers': sent.join(','),
        },
      });
      expect([200, 204]).toContain(response.status);
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(list(response, 'Access-Control-Allow-Methods')).toContain(method.toLowerCase());
      const allowed = list(response, 'Access-Control-Allow-Headers');
      for (const header of sent) expect(allowed).toContain(header);
      expect(Number(response.headers.get('Access-Control-Max-Age'))).toBeGreaterThan(0);
    }
  });
});
