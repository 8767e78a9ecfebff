import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ADMIN, ADMIN_PASSWORD } from '../shared-instance.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { FOREIGN } from './support/console.ts';
import { expectError } from './support/errors.ts';
import { LOG, STATS, useOperator } from './support/operator.ts';

setDefaultTimeout(60_000);
const { perch } = useOperator();

describe('who may read the log', () => {
  const ask = (path: string, password: string | null, ip: string, client = perch.last) =>
    client.request(path, {
      headers: { 'X-Forwarded-For': ip, ...(password === null ? {} : { 'X-Admin-Password': password }) },
    });

  for (const path of [LOG, STATS]) {
    test(`${path}: who has the password, and nobody else`, async () => {
      for (const password of [null, '', 'wrong', `${ADMIN_PASSWORD}x`, ADMIN_PASSWORD.toUpperCase()]) {
        const refused = await ask(path, password, '203.0.113.1');
        expect(refused.headers.get('WWW-Authenticate')).toBe('AdminPassword');
        await expectError(refused, 401, 'ADMIN_UNAUTHORIZED');
      }
      const admitted = await ask(path, ADMIN_PASSWORD, '203.0.113.1');
      expect(admitted.status).toBe(200);
      expect(admitted.headers.get('Cache-Control')).toBe('no-store');
      expect(admitted.headers.get('RateLimit-Limit')).toBe(null);
    });

    test(`${path}: is read only`, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const response = await perch.request(path, { method, headers: ADMIN });
        expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
        await expectError(response, 405, 'METHOD_NOT_ALLOWED');
      }
      const head = await perch.request(path, { method: 'HEAD', headers: ADMIN });
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect((await perch.request(path, { method: 'HEAD' })).status).toBe(401);
    });
  }

  test('the password in the query does not count', async () => {
    const response = await perch.request(LOG, {
      query: { p: ADMIN_PASSWORD, 'X-Admin-Password': ADMIN_PASSWORD },
    });
    await expectError(response, 401, 'ADMIN_UNAUTHORIZED');
  });

  test('nobody for a while after ten wrong passwords, not even with the right one; others still may', async () => {
    const ip = '203.0.113.2';
    for (let n = 1; n <= 9; n++) {
      await expectError(
        await ask(LOG, `wrong ${n}`, ip, perch.clients[n % 2] ?? perch),
        401,
        'ADMIN_UNAUTHORIZED',
      );
    }
    for (let n = 1; n <= 12; n++) expect((await ask(STATS, ADMIN_PASSWORD, ip)).status).toBe(200);
    await expectError(await ask(STATS, 'wrong 10', ip), 401, 'ADMIN_UNAUTHORIZED');
    for (const password of [ADMIN_PASSWORD, 'wrong 11']) {
      const refused = await ask(LOG, password, ip);
      const seconds = Number(refused.headers.get('Retry-After'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(900);
      await expectError(refused, 429, 'RATE_LIMITED');
    }
    expect((await ask(LOG, ADMIN_PASSWORD, '203.0.113.3')).status).toBe(200);
    await expectError(await ask(LOG, null, ip), 401, 'ADMIN_UNAUTHORIZED');
  });

  test('a wrong one counts each time that it is sent', async () => {
    const ip = '203.0.113.5';
    for (let n = 1; n <= 10; n++)
      await expectError(await ask(LOG, 'an old password', ip), 401, 'ADMIN_UNAUTHORIZED');
    for (const password of ['an old password', ADMIN_PASSWORD])
      await expectError(await ask(LOG, password, ip), 429, 'RATE_LIMITED');
  });

  test('what a page of another origin sends is refused and does not count', async () => {
    const ip = '203.0.113.6';
    const own = new URL(perch.url).origin;
    for (const page of FOREIGN)
      for (const password of [ADMIN_PASSWORD, 'wrong']) {
        const headers = { ...page, 'X-Forwarded-For': ip, 'X-Admin-Password': password };
        await expectError(await perch.request(LOG, { headers }), 403, 'CROSS_SITE_FORBIDDEN');
      }
    for (const page of [{ Origin: own }, { Origin: own, 'Sec-Fetch-Site': 'same-origin' }]) {
      const headers = { ...page, 'X-Forwarded-For': ip, 'X-Admin-Password': ADMIN_PASSWORD };
      expect((await perch.request(LOG, { headers })).status).toBe(200);
    }
    for (let n = 1; n <= 9; n++) expect((await ask(LOG, `wrong ${n}`, ip)).status).toBe(401);
    expect((await ask(LOG, ADMIN_PASSWORD, ip)).status).toBe(200);
  });

  test('no other origin is let in', async () => {
    for (const path of [LOG, STATS, '/api/admin/reports', '/api/admin/items/public/x', '/api/admin/none'])
      for (const method of ['OPTIONS', 'GET', 'DELETE']) {
        const headers = {
          ...ADMIN,
          Origin: 'https://elsewhere.example',
          'Access-Control-Request-Method': 'GET',
        };
        const { headers: answered } = await perch.request(path, { method, headers });
        expect([...answered.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
  });

  test('of many wrong ones at once ten are looked at', async () => {
    const answers = await atOnce(30, async (n) => {
      const response = await ask(LOG, `wrong ${n}`, '203.0.113.4', perch.clients[n % 2] ?? perch);
      await response.arrayBuffer();
      return response.status;
    });
    expect(tally(answers)).toEqual({ 401: 10, 429: 20 });
    await expectError(await ask(LOG, ADMIN_PASSWORD, '203.0.113.4'), 429, 'RATE_LIMITED');
  });
});
