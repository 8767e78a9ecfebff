import { describe, expect, test } from 'bun:test';
import { codePath, ownedBy, type RequestOptions } from './support/client.ts';
import { atOnce, fresh, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { KINDS, publishKind, readContent, readsOf } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const withPassword = (password: string): RequestOptions => ({ headers: { 'X-Password': password } });
const inQuery = (password: string): RequestOptions => ({ query: { p: password } });
/** A read from a client address of its own. */
const from = (ip: string, password: string): RequestOptions => ({
  headers: { 'X-Password': password, 'X-Forwarded-For': ip },
});

describe.each(KINDS)('an item of kind $name with a password', (kind) => {
  const secret = (ns = 'public') =>
    publishKind(perch, kind, 'secret', { ...withPassword('right'), query: { ns } });

  for (const ns of ['public', 'passwords']) {
    test(`asks for it wherever it is read (${ns})`, async () => {
      const item = await secret(ns);
      for (const [n, path] of readsOf(kind, item).entries()) {
        const client = n % 2 === 0 ? perch : perch.last;
        await expectError(await client.request(path), 403, 'PASSWORD_REQUIRED');
        await expectError(await client.request(path, withPassword('')), 403, 'PASSWORD_REQUIRED');
        expect((await client.request(path, { method: 'HEAD' })).status).toBe(403);
      }
      const [path = ''] = readsOf(kind, item);
      await expectError(await perch.request(path, withPassword('wrong')), 403, 'PASSWORD_WRONG');
      await expectError(await perch.last.request(path, inQuery('Right')), 403, 'PASSWORD_WRONG');
      expect((await perch.request(codePath(item), { redirect: 'manual' })).status).toBe(302);
    });
  }

  test('opens for it in the header and in the query, and for the owner', async () => {
    const item = await secret();
    const stranger = await publishKind(perch, kind, 'other');
    const byToken = { query: { token: item.ownerToken } };
    for (const path of readsOf(kind, item)) {
      for (const options of [withPassword('right'), inQuery('right'), ownedBy(item), byToken]) {
        const response = await perch.last.request(path, options);
        expect([path, response.status]).toEqual([path, 200]);
        expect(response.headers.get('Cache-Control')).toBe('private, no-store');
      }
      const other = await perch.request(path, ownedBy(stranger));
      await expectError(other, 403, 'PASSWORD_REQUIRED');
    }
    for (const open of [withPassword('right'), ownedBy(item)]) {
      const response = await readContent(perch, kind, item, open);
      expect(await response.text()).toBe(kind.bytesOf('secret'));
      expect(response.headers.get('X-Robots-Tag')).toContain('noindex');
    }
  });

  test('gives nothing away while it is closed', async () => {
    const item = await publishKind(perch, kind, 'hush-hush', {
      ...withPassword('right'),
      query: { title: 'A telling title' },
    });
    for (const path of readsOf(kind, item))
      for (const headers of [{}, { Accept: 'text/html' }, { Range: 'bytes=0-1' }, { 'If-None-Match': '*' }]) {
        const response = await perch.request(path, { headers });
        expect(response.status).toBe(403);
        expect(await response.text()).not.toMatch(/hush-hush|A telling title/);
        for (const name of ['ETag', 'X-Views', 'Content-Range', 'Content-Disposition', 'Last-Modified'])
          expect(response.headers.has(name)).toBe(false);
      }
    expect(
      Number(
        (await readContent(perch, kind, item, { ...ownedBy(item), method: 'HEAD' })).headers.get('X-Views'),
      ),
    ).toBe(0);
  });

  test('locks an address out after ten wrong tries, on every read and gateway', async () => {
    const item = await secret();
    const paths = readsOf(kind, item);
    const ip = `10.1.${KINDS.indexOf(kind)}.1`;
    for (let n = 0; n < 10; n++) {
      const client = n % 2 === 0 ? perch : perch.last;
      const path = paths[n % paths.length] ?? '';
      await expectError(await client.request(path, from(ip, `guess ${n}`)), 403, 'PASSWORD_WRONG');
    }
    for (const client of perch.clients)
      for (const path of paths)
        for (const password of ['guess 11', 'guess 1', 'right']) {
          const refused = await client.request(path, from(ip, password));
          const seconds = Number(refused.headers.get('Retry-After'));
          await expectError(refused, 429, 'RATE_LIMITED');
          expect(seconds).toBeGreaterThan(0);
          expect(seconds).toBeLessThanOrEqual(900);
        }
    const elsewhere = await readContent(perch, kind, item, from(`10.1.${KINDS.indexOf(kind)}.2`, 'right'));
    expect(elsewhere.status).toBe(200);
    expect((await readContent(perch, kind, await secret(), from(ip, 'right'))).status).toBe(200);
  });

  test('answers ten of twenty wrong tries at once', async () => {
    const item = await secret();
    const paths = readsOf(kind, item);
    const ip = `10.2.${KINDS.indexOf(kind)}.1`;
    const answers = await atOnce(20, (n) =>
      (n % 2 === 0 ? perch : perch.last).request(paths[n % paths.length] ?? '', from(ip, fresh('guess'))),
    );
    expect(tally(answers.map(({ status }) => status))).toEqual({ 403: 10, 429: 10 });
    await expectError(await readContent(perch, kind, item, from(ip, 'right')), 429, 'RATE_LIMITED');
  });
});
