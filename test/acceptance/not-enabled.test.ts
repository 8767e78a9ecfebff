import { describe, expect, test } from 'bun:test';
import { ADMIN } from '../shared-instance.ts';
import { BROWSER, sendForm } from './support/console.ts';
import { readDomain, removeDomain, setDomain } from './support/domains.ts';
import { expectError } from './support/errors.ts';
import { LOG, STATS } from './support/operator.ts';
import { usePerch } from './support/perch.ts';

/** Neither an operator nor domains of owners: what is there when nothing is set. */
const perch = usePerch();

describe('without an admin password', () => {
  test('nobody is the operator', async () => {
    const item = await perch.publish('<p>kept');
    const requests: Array<[method: string, path: string]> = [
      ['DELETE', `/api/admin/items/${item.namespace}/${item.id}`],
      ['GET', '/api/admin/reports'],
      ['GET', LOG],
      ['GET', STATS],
    ];
    const given = [{}, ADMIN, ...['', 'undefined', 'null'].map((text) => ({ 'X-Admin-Password': text }))];
    for (const headers of given)
      for (const [method, path] of requests)
        await expectError(await perch.request(path, { method, headers }), 403, 'ADMIN_DISABLED');
    expect((await perch.read(item)).status).toBe(200);
  });

  test('the console says what to set, and nobody signs in', async () => {
    const page = await perch.request('/admin', { headers: BROWSER });
    expect(page.status).toBe(403);
    expect(await page.text()).toContain('ADMIN_PASSWORD');
    await expectError(await perch.request('/admin'), 403, 'ADMIN_DISABLED');
    const signedIn = await sendForm(perch, '/admin/sign-in', { password: '' });
    expect([signedIn.status, signedIn.headers.getSetCookie()]).toEqual([403, []]);
  });
});

test('domains of owners are refused where they are not turned on', async () => {
  const item = await perch.publish('<p>off');
  await expectError(await setDomain(perch, item, 'www.example.org'), 403, 'DOMAINS_DISABLED');
  await expectError(await readDomain(perch, item), 403, 'DOMAINS_DISABLED');
  await expectError(await removeDomain(perch, item), 403, 'DOMAINS_DISABLED');
});
