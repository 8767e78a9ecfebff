import { beforeAll, describe, expect, test } from 'bun:test';
import { ownedBy, type Published, raw, shortPath } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { NAVIGATION, viewsOf } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';
import { embedded, publishSite, readSite, unlock } from './support/site-client.ts';

const perch = sharePerch();

const FILES: Record<string, string> = {
  'index.html': '<link rel="stylesheet" href="css/site.css"><p>entry',
  'css/site.css': 'p {}',
  'docs/index.html': '<p>docs',
  '404.html': '<p>not here',
};
const PATHS = ['', 'index.html', 'css/site.css', 'docs/', 'docs', 'missing', '404.html'];

const open = { headers: { 'X-Password': 'right' } };
const protectedSite = (query = {}) => publishSite(perch, FILES, { ...open, query });

let site: Published;
let cookie = '';
beforeAll(async () => {
  site = await protectedSite();
  cookie = await unlock(perch, site, 'right');
});

describe('a program', () => {
  test('is told nothing without the password, on no path', async () => {
    for (const path of PATHS) {
      await expectError(await readSite(perch, site, path), 403, 'PASSWORD_REQUIRED');
      const wrong = { query: { p: 'wrong' } };
      if (path === '') await expectError(await readSite(perch, site, path, wrong), 403, 'PASSWORD_WRONG');
      for (const headers of [{ Range: 'bytes=0-0' }, { 'If-None-Match': '*' }])
        expect((await readSite(perch, site, path, { headers })).status).toBe(403);
    }
    await expectError(await perch.read(site), 403, 'PASSWORD_REQUIRED');
  });

  test('reads every path with the password or the token of the owner', async () => {
    for (const options of [
      open,
      { query: { p: 'right' } },
      ownedBy(site),
      { query: { token: site.ownerToken } },
    ])
      for (const client of perch.clients)
        for (const [path, status] of [
          ['', 200],
          ['css/site.css', 200],
          ['docs/', 200],
          ['missing', 404],
        ] as const) {
          const response = await readSite(client, site, path, options);
          expect([path, response.status]).toEqual([path, status]);
          expect(response.headers.get('Cache-Control')).toBe('private, no-store');
          expect(response.headers.get('X-Robots-Tag')).toContain('noindex');
        }
  });

  test('gets parts and 304 with the password', async () => {
    const whole = await readSite(perch, site, 'css/site.css', open);
    const etag = whole.headers.get('ETag') ?? '';
    const read = (headers: Record<string, string>) =>
      readSite(perch, site, 'css/site.css', { headers: { ...open.headers, ...headers } });
    expect((await read({ Range: 'bytes=0-1' })).status).toBe(206);
    expect((await read({ 'If-None-Match': etag })).status).toBe(304);
  });

  test('gets the index of a folder with the password', async () => {
    const folder = await readSite(perch, site, 'docs?v&p=right');
    expect([folder.status, folder.headers.get('Cache-Control')]).toEqual([200, 'private, no-store']);
  });

  test('does not find out which paths there are', async () => {
    const bodies = await Promise.all(
      ['css/site.css', 'missing'].map(async (path) => {
        const { message, code } = await expectError(
          await readSite(perch, site, path),
          403,
          'PASSWORD_REQUIRED',
        );
        return { message, code };
      }),
    );
    expect(bodies[0]).toEqual(bodies[1] ?? { message: '', code: '' });
  });
});

/** Where a browser with the cookie is sent: the address with the ticket. */
async function ticketAddress(path = '', query = {}): Promise<URL> {
  const response = await readSite(perch, site, path, { query, headers: { ...NAVIGATION, Cookie: cookie } });
  expect(response.status).toBe(303);
  const location = new URL(response.headers.get('Location') ?? '', perch.url);
  expect(location.pathname).toMatch(new RegExp(`^${shortPath(site)}/~\\d+\\.[\\w-]+/`));
  expect(response.headers.get('Cache-Control')).toContain('no-store');
  return location;
}

describe('a person', () => {
  test('is asked for the password on every path', async () => {
    for (const path of PATHS) {
      const response = await readSite(perch, site, path, { headers: NAVIGATION });
      expect([response.status, response.headers.get('Content-Type')]).toEqual([
        403,
        'text/html; charset=utf-8',
      ]);
      const page = await response.text();
      expect(page).toContain('type="password"');
      expect(page).not.toContain('entry');
    }
  });

  test('who has unlocked it is sent to the address with a ticket, with or without the slash', async () => {
    const response = await perch.last.read(site, { headers: { ...NAVIGATION, Cookie: cookie } });
    expect(response.status).toBe(303);
    const { pathname } = new URL(response.headers.get('Location') ?? '', perch.url);
    const view = await perch.request(pathname, { headers: NAVIGATION });
    expect([view.status, await view.text()]).toEqual([200, FILES['index.html'] ?? '']);
    expect(view.headers.get('Cache-Control')).toBe('private, no-store');
    expect(view.headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(view.headers.get('Content-Security-Policy')).not.toContain('allow-same-origin');
    expect(view.headers.has('Set-Cookie')).toBe(false);
  });

  test('gets there on every path, with the query but without what opens it', async () => {
    for (const path of ['docs/', 'css/site.css', 'index.html']) {
      const { pathname, searchParams } = await ticketAddress(path, { a: '1', p: 'right' });
      expect(pathname).toEndWith(`/${path}`);
      expect([...searchParams]).toEqual([['a', '1']]);
    }
    const secrets = `p=right&token=x&password=x&ticket=x&%70=x`;
    for (const [query, kept] of [
      [`?v&y=%20&a=%FF&b=+&${secrets}`, '?v&y=%20&a=%FF&b=+'],
      [`?${secrets}&v=`, '?v='],
      [`?${secrets}`, ''],
    ] as const)
      expect((await ticketAddress(`docs/${query}`)).search).toBe(kept);
  });

  test('sees the parts of its pages, which are asked for without a cookie', async () => {
    const { href } = await ticketAddress();
    const style = new URL('css/site.css', href).pathname;
    for (const client of perch.clients) {
      const response = await client.request(style, { headers: embedded('style') });
      expect([response.status, await response.text()]).toEqual([200, 'p {}']);
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    }
    const folder = await perch.request(new URL('docs', href).pathname, { headers: NAVIGATION });
    expect(folder.headers.get('Location')).toBe(new URL('docs/', href).pathname);
    const missing = await perch.request(new URL('missing', href).pathname, { headers: NAVIGATION });
    expect([missing.status, await missing.text()]).toEqual([404, '<p>not here']);
  });

  test('gets no part of it by the cookie from another page', async () => {
    for (const destination of ['style', 'script', 'image'] as const)
      expect(
        (
          await readSite(perch, site, 'css/site.css', {
            headers: { ...embedded(destination), Cookie: cookie },
          })
        ).status,
      ).toBe(403);
    const frame = { ...NAVIGATION, 'Sec-Fetch-Dest': 'iframe', Cookie: cookie };
    expect((await readSite(perch, site, '', { headers: frame })).status).toBe(403);
  });

  test('counts as one view for each file, and none for the way there', async () => {
    const counted = await protectedSite();
    const own = await unlock(perch, counted, 'right');
    const way = await perch.read(counted, { headers: { ...NAVIGATION, Cookie: own } });
    const { pathname } = new URL(way.headers.get('Location') ?? '', perch.url);
    expect(await viewsOf(perch, counted, open)).toBe(0);
    await atOnce(10, () => perch.request(pathname, { headers: NAVIGATION }));
    await perch.request(`${pathname}css/site.css`, { headers: embedded('style') });
    expect(await viewsOf(perch, counted, open)).toBe(11);
  });
});

test('a password in the address of a browser leads to the ticket, and stays behind', async () => {
  const response = await readSite(perch, site, '', { query: { p: 'right' }, headers: NAVIGATION });
  expect(response.status).toBe(303);
  const location = response.headers.get('Location') ?? '';
  expect(location).not.toContain('right');
  expect((await perch.request(location, { headers: embedded('image') })).status).toBe(200);
});

test('and so it does in a frame of another page, whose parts come without the password', async () => {
  const headers = { ...NAVIGATION, 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Site': 'cross-site' };
  const response = await perch.read(site, { query: { p: 'right' }, headers });
  expect(response.status).toBe(303);
  const { pathname, search } = new URL(response.headers.get('Location') ?? '', perch.url);
  expect(search).toBe('');
  expect((await perch.request(pathname, { headers })).status).toBe(200);
  expect((await perch.request(`${pathname}css/site.css`, { headers: embedded('style') })).status).toBe(200);
});

test('an unlock with a wrong password sets no cookie', async () => {
  const body = raw('password=wrong', 'application/x-www-form-urlencoded');
  const response = await perch.request(`/api${shortPath(site)}/unlock`, { method: 'POST', ...body });
  expect([response.status, response.headers.has('Set-Cookie')]).toEqual([403, false]);
});

describe('who unlocks from a part of a site', () => {
  const post = async (to: string) => {
    const body = new URLSearchParams({ password: 'right', to }).toString();
    const path = `/api${shortPath(site)}/unlock`;
    const opened = await perch.request(path, {
      method: 'POST',
      ...raw(body, 'application/x-www-form-urlencoded'),
    });
    expect(opened.status).toBe(303);
    return opened.headers.get('Location');
  };

  test('is led back to it', async () => {
    const asked = await readSite(perch, site, 'docs/%C3%A4%20b.html', { headers: NAVIGATION });
    expect(await asked.text()).toContain('name="to" value="docs/%C3%A4%20b.html"');
    expect(await post('docs/%C3%A4%20b.html')).toBe(`${shortPath(site)}/docs/%C3%A4%20b.html`);
  });

  test('also where its name begins like a ticket', async () => {
    for (const to of ['~draft/index.html', '~draft', '~1.x/a']) {
      const asked = await readSite(perch, site, to, { headers: NAVIGATION });
      expect(await asked.text()).toContain(`name="to" value="${to}"`);
    }
    const old = `~1790000000.${'x'.repeat(43)}`;
    for (const [path, to] of [
      [`${old}/docs/`, 'docs/'],
      [`${old}/`, ''],
      [old, ''],
    ] as const) {
      const asked = await readSite(perch, site, path, { headers: NAVIGATION });
      expect(await asked.text()).toContain(`name="to" value="${to}"`);
    }
  });

  test('and nowhere else', async () => {
    for (const to of [
      '../../other/item',
      'a/%2e%2E/b',
      '\\\\host',
      'a\r\nSet-Cookie: x=y',
      'ä',
      'x'.repeat(2001),
    ])
      expect(await post(to)).toBe(shortPath(site));
    expect(await post('//host/x')).toBe(`${shortPath(site)}///host/x`);
  });
});
