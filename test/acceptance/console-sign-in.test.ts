import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { createSignedTokens } from '../../services/gateway/auth/signed-tokens.ts';
import { withDatabase } from '../faults/blob-audit.ts';
import { jsonOf } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { act, BROWSER, FOREIGN, markOn, openPage, sendForm, signIn } from './support/console.ts';
import { expectError } from './support/errors.ts';
import { usePerch } from './support/perch.ts';

const PASSWORD = 'the operator of this Perch';
const COOKIE_SECRET = 'a secret that this test knows, long enough';
const perch = usePerch({
  gateways: 2,
  env: {
    ADMIN_PASSWORD: PASSWORD,
    COOKIE_SECRET,
    TRUST_PROXY: '1',
    BASE_URL: 'https://perch.test',
    CONTENT_BASE_URL: 'https://pages.test',
  },
});

const from = (ip: string) => ({ 'X-Forwarded-For': ip });
const API = '/api/admin/audit';
const statusOf = async (cookie: string, client = perch.last): Promise<number> =>
  (await openPage(client, '/admin', { cookie, setCookies: [] })).status;

describe('a sign-in', () => {
  test('asks for the password, and opens every page of the console on every gateway with its cookie', async () => {
    for (const path of ['/admin', '/admin/reports', '/admin/audit']) {
      const refused = await perch.request(path, { headers: BROWSER });
      expect([path, refused.status]).toEqual([path, 401]);
      expect(await refused.text()).toContain('action="/admin/sign-in"');
      await expectError(await perch.request(path), 401, 'ADMIN_UNAUTHORIZED');
    }
    const signedIn = await signIn(perch, PASSWORD);
    const pages = ['', '/reports', '/publications', '/access', '/owners', '/blocklist', '/limits', '/audit'];
    for (const client of perch.clients)
      for (const page of pages) {
        const response = await openPage(client, `/admin${page}`, signedIn);
        expect([page, response.status]).toEqual([page, 200]);
        expect(response.headers.get('Cache-Control')).toBe('no-store');
        const text = await response.text();
        for (const secret of [PASSWORD, COOKIE_SECRET]) expect(text).not.toContain(secret);
      }
    expect((await openPage(perch, '/admin/nothing', signedIn)).status).toBe(404);
  });

  test('sets a cookie for the console and its API alone, which no script and no other site can use', async () => {
    const { setCookies } = await signIn(perch, PASSWORD);
    const expected = ['/admin', '/api/admin'].map((path) =>
      expect.stringMatching(
        new RegExp(`^perch_admin=[^;]{80,}; Path=${path}; Max-Age=3600; HttpOnly; SameSite=Strict; Secure$`),
      ),
    );
    expect(setCookies).toEqual(expected);
  });

  test('leads to a page of the console, and to nowhere else', async () => {
    const destinations: Array<[string, string]> = [
      ['/admin/reports?status=new', '/admin/reports?status=new'],
      ['/administrator', '/admin'],
      ['//elsewhere.example', '/admin'],
      ['https://elsewhere.example/admin', '/admin'],
      ['/admin/\\elsewhere', '/admin'],
      ...['/admin/../../evil', '/admin/..', '/admin/%2e%2E/evil', '/admin/.%2e?x', '/admin/./audit'].map(
        (path): [string, string] => [path, '/admin'],
      ),
      ['/admin/access?path=/../a', '/admin/access?path=/../a'],
      ['/admin/reports/a..b', '/admin/reports/a..b'],
      ['', '/admin'],
    ];
    for (const [to, location] of destinations) {
      const response = await sendForm(perch, '/admin/sign-in', { password: PASSWORD, to });
      expect([to, response.status, response.headers.get('Location')]).toEqual([to, 303, location]);
    }
  });

  test('with a wrong password shows the form again and counts with those of the API: ten, then nobody', async () => {
    const headers = from('203.0.113.1');
    for (let n = 1; n <= 5; n++) {
      const refused = await sendForm(
        perch.clients[n % 2] ?? perch,
        '/admin/sign-in',
        { password: `wrong ${n}` },
        headers,
      );
      expect([n, refused.status, refused.headers.getSetCookie()]).toEqual([n, 401, []]);
      expect(await refused.text()).toContain('That password is not right');
      const api = { headers: { ...headers, 'X-Admin-Password': `wrong, too ${n}` } };
      await expectError(await perch.request(API, api), 401, 'ADMIN_UNAUTHORIZED');
    }
    for (const password of [PASSWORD, 'wrong 6']) {
      const locked = await sendForm(perch, '/admin/sign-in', { password }, headers);
      expect([locked.status, locked.headers.getSetCookie()]).toEqual([429, []]);
      expect(Number(locked.headers.get('Retry-After'))).toBeGreaterThan(0);
    }
    expect((await signIn(perch, PASSWORD, from('203.0.113.2'))).setCookies).toHaveLength(2);
  });

  test('of many wrong ones at once ten are looked at', async () => {
    const answers = await atOnce(30, async (n) => {
      const client = perch.clients[n % 2] ?? perch;
      const response = await sendForm(
        client,
        '/admin/sign-in',
        { password: `wrong ${n}` },
        from('203.0.113.3'),
      );
      await response.arrayBuffer();
      return response.status;
    });
    expect(tally(answers)).toEqual({ 401: 10, 429: 20 });
  });

  test('that another page sends is refused and does not count', async () => {
    const ip = from('203.0.113.4');
    for (const page of FOREIGN)
      for (const password of [PASSWORD, 'wrong']) {
        const body = new URLSearchParams({ password }).toString();
        const headers = { ...page, ...ip, 'Content-Type': 'application/x-www-form-urlencoded' };
        const response = await perch.request('/admin/sign-in', { method: 'POST', body, headers });
        expect(response.headers.getSetCookie()).toEqual([]);
        await expectError(response, 403, 'CROSS_SITE_FORBIDDEN');
      }
    for (let n = 1; n <= 9; n++)
      expect((await sendForm(perch, '/admin/sign-in', { password: `wrong ${n}` }, ip)).status).toBe(401);
    expect((await signIn(perch, PASSWORD, ip)).setCookies).toHaveLength(2);
  });
});

describe('a cookie', () => {
  test('opens /api/admin, to pages of this origin alone', async () => {
    const { cookie } = await signIn(perch, PASSWORD);
    const own = { Origin: new URL(perch.url).origin };
    expect((await perch.request(API, { headers: { Cookie: cookie } })).status).toBe(200);
    const block = { ip: '192.0.2.77', reason: 'By the cookie.' };
    const change = (headers: Record<string, string>) =>
      perch.request('/api/admin/blocklist', {
        method: 'POST',
        json: block,
        headers: { Cookie: cookie, ...headers },
      });
    for (const page of [...FOREIGN, {}, { 'Sec-Fetch-Site': 'none' }])
      await expectError(await change(page), 403, 'CROSS_SITE_FORBIDDEN');
    for (const page of FOREIGN)
      await expectError(
        await perch.request(API, { headers: { Cookie: cookie, ...page } }),
        ...([403, 'CROSS_SITE_FORBIDDEN'] as const),
      );
    for (const page of [own, { ...own, 'Sec-Fetch-Site': 'same-origin' }])
      expect((await change(page)).status).toBe(201);
  });

  test('that is forged, cut, of another purpose or expired opens nothing', async () => {
    const { cookie } = await signIn(perch, PASSWORD);
    const value = cookie.slice('perch_admin='.length);
    const [token = '', until = '', signature = ''] = value.split('.');
    const id = createHash('sha256').update(token).digest('hex');
    const passwordMark = createHash('sha256').update(`${COOKIE_SECRET} ${PASSWORD}`).digest('base64url');
    const tokens = createSignedTokens(COOKIE_SECRET, `admin session ${passwordMark}`);
    const now = Math.floor(Date.now() / 1000);
    const forged = [
      `${token}.${Number(until) + 1}.${signature}`,
      `${'A'.repeat(43)}.${until}.${signature}`,
      `${token}.${until}.${'A'.repeat(43)}`,
      `${token}.${until}`,
      `${token}.${tokens.sign(id, now - 1)}`,
      `${token}.${createSignedTokens(COOKIE_SECRET, 'admin session x').sign(id, now + 60)}`,
      `${token}.${createSignedTokens(COOKIE_SECRET, `admin form ${passwordMark}`).sign(id, now + 60)}`,
      // Signed, and of no session.
      `${'A'.repeat(43)}.${tokens.sign(createHash('sha256').update('A'.repeat(43)).digest('hex'), now + 60)}`,
      '',
    ];
    for (const one of forged) expect([one, await statusOf(`perch_admin=${one}`)]).toEqual([one, 401]);
    expect(await statusOf(`perch_admin=${forged[0]}; ${cookie}`)).toBe(200);
    expect(await statusOf(`perch_admin=${token}.${tokens.sign(id, now + 60)}`)).toBe(200);
  });

  test('ends with its session, whatever its own time says', async () => {
    const { cookie } = await signIn(perch, PASSWORD);
    const token = cookie.slice('perch_admin='.length).split('.')[0] ?? '';
    const id = createHash('sha256').update(token).digest('hex');
    await withDatabase(perch.instance, async (sql) => {
      const { count } = await sql`
        update admin_sessions set expires_at = now() - interval '1 second' where session_id = ${id}`;
      expect(count).toBe(1);
    });
    for (const client of perch.clients) expect(await statusOf(cookie, client)).toBe(401);
  });

  test('lets nobody act without the mark of a form', async () => {
    const [one, other] = [await signIn(perch, PASSWORD), await signIn(perch, PASSWORD)];
    const marks = ['', 'x', await markOn(perch, other)];
    for (const path of ['/admin/actions', '/admin/sign-out'])
      for (const mark of marks) {
        const fields = { action: 'end-block', id: 'none', mark };
        const response = await sendForm(perch, path, fields, { Cookie: one.cookie });
        expect([path, response.status]).toEqual([path, 403]);
      }
    for (const page of FOREIGN) {
      const fields = { action: 'end-block', id: 'none', mark: await markOn(perch, one) };
      const headers = { Cookie: one.cookie, 'Content-Type': 'application/x-www-form-urlencoded', ...page };
      const body = new URLSearchParams(fields).toString();
      const response = await perch.request('/admin/actions', { method: 'POST', body, headers });
      await expectError(response, 403, 'CROSS_SITE_FORBIDDEN');
    }
    expect(await statusOf(one.cookie)).toBe(200);
  });
});

describe('a form of the console', () => {
  test('that is sent after its sign-in has ended is not done, which is said, and signing in leads back to its page', async () => {
    const signedIn = await signIn(perch, PASSWORD);
    const mark = await markOn(perch, signedIn);
    await act(perch, signedIn, '/admin/sign-out', {});
    for (const [back, to] of [
      ['/admin/reports?by=item', '/admin/reports?by=item'],
      ['https://elsewhere.example', '/admin'],
    ] as const) {
      const fields = { action: 'block', ip: '192.0.2.78', reason: 'x', confirmed: '1', mark, back };
      const refused = await sendForm(perch, '/admin/actions', fields, { Cookie: signedIn.cookie });
      expect([back, refused.status]).toEqual([back, 401]);
      const text = await refused.text();
      expect(text).toContain('Your sign-in had ended');
      expect(text).toContain(`name="to" value="${to}"`);
      expect(text).toContain('readonly>\n192.0.2.78</textarea>');
    }
    const over = await sendForm(perch, '/admin/sign-out', { everywhere: '1', mark });
    expect([over.status, (await over.text()).includes('Your sign-in had ended')]).toEqual([401, true]);
  });

  test('of an earlier sign-in of the same browser is not done, and leads back to its page', async () => {
    const [earlier, now] = [await signIn(perch, PASSWORD), await signIn(perch, PASSWORD)];
    const fields = { mark: await markOn(perch, earlier), note: 'A <long> note.', back: '/admin/blocklist' };
    for (const [path, action] of [
      ['/admin/actions', { action: 'end-block', id: 'none' }],
      ['/admin/sign-out', { everywhere: '1' }],
    ] as const) {
      const sent = { ...fields, ...action };
      const refused = await sendForm(perch, path, sent, { Cookie: now.cookie });
      expect([path, refused.status]).toEqual([path, 403]);
      const text = await refused.text();
      expect(text).toContain('earlier sign-in');
      expect(text).toContain('readonly>\nA &lt;long&gt; note.</textarea>');
      expect(text).toContain('<a class="console-button" href="/admin/blocklist">');
      const asProgram = { Cookie: now.cookie, Accept: 'application/json' };
      await expectError(await sendForm(perch, path, sent, asProgram), 403, 'CROSS_SITE_FORBIDDEN');
    }
    expect(await statusOf(now.cookie)).toBe(200);
  });
});

describe('a sign-out', () => {
  test('ends one sign-in, on every gateway at once', async () => {
    const [one, other] = [await signIn(perch, PASSWORD), await signIn(perch.last, PASSWORD)];
    const response = await act(perch, one, '/admin/sign-out', {});
    expect([response.status, response.headers.get('Location')]).toEqual([303, '/admin']);
    for (const cookie of response.headers.getSetCookie()) expect(cookie).toContain('perch_admin=; Path=/');
    for (const client of perch.clients) {
      expect(await statusOf(one.cookie, client)).toBe(401);
      expect(await statusOf(other.cookie, client)).toBe(200);
    }
  });

  test('everywhere ends all of them, and those at once with it', async () => {
    const all = await atOnce(6, (n) => signIn(perch.clients[n % 2] ?? perch, PASSWORD));
    const [first] = all;
    if (first === undefined) throw new Error('nobody signed in');
    expect((await act(perch, first, '/admin/sign-out', { everywhere: '1' })).status).toBe(303);
    for (const { cookie } of all)
      for (const client of perch.clients) expect(await statusOf(cookie, client)).toBe(401);
    expect(await statusOf((await signIn(perch, PASSWORD)).cookie)).toBe(200);
  });

  test('and every sign-in is in the audit trail, with the address it came from', async () => {
    const signedIn = await signIn(perch, PASSWORD, from('203.0.113.77'));
    await act(perch, signedIn, '/admin/sign-out', { everywhere: '1' });
    const headers = { 'X-Admin-Password': PASSWORD };
    const trail = await jsonOf<Array<Record<string, string>>>(await perch.request(API, { headers }));
    expect(trail[0]).toMatchObject({ action: 'sign-out-everywhere', via: 'console', outcome: 'done' });
    expect(trail[1]).toMatchObject({ action: 'sign-in', via: 'console', clientIp: '203.0.113.77' });
  });
});

test('scripts of other origins get no word of it', async () => {
  for (const path of ['/admin', '/admin/audit', '/admin/sign-in', '/admin/a/b', API])
    for (const method of ['OPTIONS', 'GET', 'POST']) {
      const headers = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'GET' };
      const { headers: answered } = await perch.request(path, { method, headers });
      expect([...answered.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
});

test('the content host has no console', async () => {
  const { cookie } = await signIn(perch, PASSWORD);
  for (const [method, path] of [
    ['GET', '/admin'],
    ['GET', '/admin/audit'],
    ['GET', '/admin/reports/x'],
    ['POST', '/admin/sign-in'],
    ['POST', '/admin/actions'],
    ['GET', '/api/admin/reports/x'],
  ] as const) {
    const headers = { Host: 'pages.test', Cookie: cookie, 'X-Admin-Password': PASSWORD };
    await expectError(await perch.request(path, { method, headers }), 404, 'NOT_FOUND');
  }
});

test('a link of another site gets the form, and a way in for whoever is signed in', async () => {
  const headers = {
    ...BROWSER,
    'Sec-Fetch-Site': 'cross-site',
    'Sec-Fetch-Mode': 'navigate',
    'Sec-Fetch-Dest': 'document',
  };
  const response = await perch.request('/admin/reports', { headers });
  expect(response.status).toBe(401);
  expect(await response.text()).toContain('<a href="/admin/reports">open the console</a>');
});
