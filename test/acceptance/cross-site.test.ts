import { describe, expect, test } from 'bun:test';
import { type RequestOptions, raw } from './support/client.ts';
import { FOREIGN } from './support/console.ts';
import { expectError } from './support/errors.ts';
import { NAVIGATION } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const form = (fields: Record<string, string>, headers: Record<string, string>): RequestOptions => ({
  method: 'POST',
  ...raw(new URLSearchParams(fields).toString(), 'application/x-www-form-urlencoded', { headers }),
});

/** Headers that this service's own page sends, in old and new browsers, and those of a program. */
const own = (): Array<Record<string, string>> => {
  const { origin } = new URL(perch.url);
  return [
    {},
    { Origin: origin },
    { Origin: origin, 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'none' },
  ];
};

describe('the report form', () => {
  const submit = (headers: Record<string, string>) =>
    perch.request(
      '/report',
      form(
        { reportedUrl: `${perch.url}/public/bad`, category: 'spam', description: 'It sells things.' },
        headers,
      ),
    );

  test('is taken from its own page and from programs', async () => {
    for (const headers of own()) expect((await submit(headers)).status).toBe(303);
  });

  test.each([
    ['http://perch.test', 'perch.test:80'],
    ['http://perch.test', 'Perch.Test.'],
    ['https://perch.test', 'perch.test:443'],
    ['http://perch.test:8080', 'PERCH.test:8080'],
  ])('is taken from a page of %s that names the host as %s', async (Origin, Host) =>
    expect((await submit({ Origin, Host })).status).toBe(303),
  );

  test.each([
    ['http://perch.test', 'perch.test:8080'],
    ['http://perch.test', 'perch.test:443'],
    ['http://perch.test:8080', 'perch.test'],
    ['http://x.perch.test', 'perch.test'],
  ])('is refused from a page of %s at the host %s', async (Origin, Host) => {
    await expectError(await submit({ Origin, Host }), 403, 'CROSS_SITE_FORBIDDEN');
  });

  test('is refused from any other page', async () => {
    for (const headers of FOREIGN) await expectError(await submit(headers), 403, 'CROSS_SITE_FORBIDDEN');
  });

  test('may be asked for from anywhere', async () => {
    for (const headers of FOREIGN) expect((await perch.request('/report', { headers })).status).toBe(200);
  });
});

describe('POST /api/reports', () => {
  const send = (headers: Record<string, string>) =>
    perch.request('/api/reports', {
      method: 'POST',
      json: { reportedUrl: `${perch.url}/public/bad`, category: 'spam', description: 'It sells things.' },
      headers,
    });

  test('is refused from pages without an origin, as hosted ones are', async () => {
    for (const headers of FOREIGN.filter(({ Origin }) => Origin === 'null'))
      await expectError(await send(headers), 403, 'CROSS_SITE_FORBIDDEN');
  });

  test('is taken from programs, in a browser, too', async () => {
    for (const headers of [...own(), { Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' }])
      expect((await send(headers)).status).toBe(201);
  });
});

describe('the form for a password', () => {
  const locked = () => perch.publish('<p>locked', { headers: { 'X-Password': 'right' } });

  test('is taken from its own page and from programs', async () => {
    const { namespace, id } = await locked();
    for (const headers of own())
      expect(
        (await perch.request(`/api/${namespace}/${id}/unlock`, form({ password: 'right' }, headers))).status,
      ).toBe(303);
  });

  test('of another page counts as no try, and opens nothing', async () => {
    const { namespace, id } = await locked();
    const unlock = `/api/${namespace}/${id}/unlock`;
    for (const password of ['wrong', 'right'])
      for (const headers of FOREIGN) {
        const refused = await perch.request(unlock, form({ password }, headers));
        expect(refused.headers.has('Set-Cookie')).toBe(false);
        await expectError(refused, 403, 'CROSS_SITE_FORBIDDEN');
      }
    expect((await perch.request(unlock, form({ password: 'right' }, {}))).status).toBe(303);
  });

  test('is shown to a person whose browser another page has sent', async () => {
    const { namespace, id } = await locked();
    const headers = { ...NAVIGATION, Origin: 'null', 'Sec-Fetch-Site': 'cross-site' };
    const unlock = `/api/${namespace}/${id}/unlock`;
    const shown = await perch.request(unlock, form({ password: 'wrong', to: '' }, headers));
    expect(shown.status).toBe(403);
    expect(await shown.text()).toContain(`action="${unlock}"`);
    expect(shown.headers.get('Referrer-Policy')).toBe('strict-origin');
  });
});

test('what tells of the service itself is for no other origin to read', async () => {
  for (const path of ['/metrics', '/readyz'])
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const { headers } = await perch.request(path, {
        method,
        headers: { Origin: 'https://elsewhere.example' },
      });
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
});
