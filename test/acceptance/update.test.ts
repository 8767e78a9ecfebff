import { describe, expect, test } from 'bun:test';
import { jsonOf, ownedBy, type Published, type RequestOptions, raw } from './support/client.ts';
import { atOnce, fresh, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';
import { FILES, NOT_TEXT } from './support/samples.ts';

const perch = sharePerch();

const MISSING = { namespace: 'public', id: 'never-was' };

const put = (page: Published, options: RequestOptions): RequestOptions => ({
  method: 'PUT',
  ...options,
  headers: { ...options.headers, ...ownedBy(page).headers },
});
const putHtml = (page: Published, content: string) => put(page, raw(content, 'text/html'));

describe('an update', () => {
  test('replaces the content at once, on every gateway', async () => {
    const page = await perch.publish('<p>old');
    await perch.last.read(page);
    for (const content of ['<p>new', '<p>newer']) {
      const updated = await jsonOf<Published & { updatedAt: string }>(
        await perch.api(page, putHtml(page, content)),
      );
      const { namespace, id, url, shortUrl, link, ownerLink, createdAt, expiresAt } = page;
      expect(updated).toMatchObject({
        namespace,
        id,
        url,
        shortUrl,
        link,
        ownerLink,
        createdAt,
        expiresAt,
        format: 'HTML',
        sizeBytes: content.length,
      });
      expect(updated.updatedAt >= createdAt).toBe(true);
      expect(updated).not.toHaveProperty('ownerToken');
      for (const client of perch.clients) expect(await (await client.read(page)).text()).toEndWith(content);
    }
  });

  test('takes JSON, the token in the query, and answers on the address it had', async () => {
    const page = await perch.publish('<p>old');
    const token = { token: page.ownerToken };
    const response = await perch.api(page, { method: 'PUT', query: token, json: { content: '<p>new' } });
    expect((await jsonOf(response)).url).toBe(page.url);
    expect(await (await perch.last.read(page)).text()).toEndWith('<p>new');
  });

  test('keeps views, gets a new ETag', async () => {
    const page = await perch.publish('<p>old');
    const before = await perch.read(page);
    await jsonOf(await perch.api(page, putHtml(page, '<p>new')));
    const after = await perch.last.read(page);
    expect([before, after].map(({ headers }) => headers.get('X-Views'))).toEqual(['1', '2']);
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'));
  });

  test('of the title alone gives a view another ETag', async () => {
    for (const options of [{ query: { showTopBar: true } }, { query: { format: 'markdown' } }]) {
      const page = await perch.publish('<p>same', options);
      const etag = (await perch.read(page)).headers.get('ETag') ?? '';
      const change = put(page, raw('<p>same', 'text/html', { query: { title: 'Another' } }));
      expect((await jsonOf(await perch.api(page, change))).title).toBe('Another');
      const after = await perch.last.read(page, { headers: { 'If-None-Match': etag } });
      expect([after.status, (await after.text()).includes('Another')]).toEqual([200, true]);
    }
  });

  test('ignores what is immutable', async () => {
    const content = { content: '# One', format: 'MARKDOWN', tags: 'a', filename: 'a.md', showTopBar: false };
    const page = await perch.publish({ json: { ...content, ttl: 3, title: 'T' } });
    const change = {
      content: '# Two',
      format: 'HTML',
      tags: 'b',
      filename: 'b.html',
      showTopBar: true,
      ttl: 30,
      password: 'new',
      ns: 'elsewhere',
      id: 'elsewhere',
    };
    const query = {
      format: 'html',
      tags: 'c',
      filename: 'c.html',
      showTopBar: true,
      ttl: 30,
      p: 'x',
      ns: 'other',
    };
    const headers = { 'X-Password': 'new' };
    await jsonOf(await perch.api(page, put(page, { json: change, query, headers })));
    const settings = await jsonOf(await perch.request(`/api/html/public/${page.id}/settings`, ownedBy(page)));
    expect(settings).toMatchObject({
      namespace: 'public',
      id: page.id,
      format: 'MARKDOWN',
      tags: ['a'],
      filename: 'a.md',
      ttlDays: 3,
      showTopBar: false,
      hasPassword: false,
      title: 'T',
      expiresAt: page.expiresAt,
    });
    const view = await (await perch.read(page)).text();
    expect(view).toMatch(/<h1 id="two"/);
  });

  test('keeps the stored format, whatever type its raw body has', async () => {
    const page = await perch.publish(raw('# One', 'text/markdown'));
    for (const type of ['text/html', 'text/plain', 'text/css', 'application/octet-stream']) {
      const updated = await jsonOf(await perch.api(page, put(page, raw(`# ${type}`, type))));
      expect(updated.format).toBe('MARKDOWN');
      const stored = await perch.read(page, { query: { raw: true } });
      expect(stored.headers.get('Content-Type')).toStartWith('text/markdown');
      expect(await (await perch.read(page)).text()).toContain('<h1 id=');
    }
  });

  test('does not renew the time to live', async () => {
    const page = await perch.publish('<p>old', { query: { ttl: 1 } });
    const updated = await jsonOf(
      await perch.api(page, put(page, raw('<p>new', 'text/html', { query: { ttl: 30 } }))),
    );
    expect(updated.expiresAt).toBe(page.expiresAt);
  });

  test('keeps a given title, changes it when it names one, else follows the content', async () => {
    const titleOf = async (page: Published) =>
      (await jsonOf(await perch.request(`/api/html/public/${page.id}/settings`, ownedBy(page)))).title;
    const given = await perch.publish('<title>One</title>', { query: { title: 'Given' } });
    await jsonOf(await perch.api(given, putHtml(given, '<title>Two</title>')));
    expect(await titleOf(given)).toBe('Given');
    await jsonOf(await perch.api(given, put(given, { json: { content: '<p>x', title: 'Named' } })));
    expect(await titleOf(given)).toBe('Named');

    const following = await perch.publish('<title>One</title>');
    await jsonOf(await perch.api(following, putHtml(following, '<title>Two</title>')));
    expect(await titleOf(following)).toBe('Two');
  });

  test('that takes the heading away makes the filename the title, in the page as well', async () => {
    const page = await perch.publish(raw('# One', 'text/markdown', { query: { filename: 'one.md' } }));
    for (const [content, title] of [
      ['no heading', 'one.md'],
      ['# Two', 'Two'],
    ] as const) {
      await jsonOf(await perch.api(page, put(page, raw(content, 'text/markdown'))));
      expect(await (await perch.last.read(page)).text()).toContain(`<title>${title}</title>`);
    }
  });
});

describe('an update is refused', () => {
  test('without the owner token or with a wrong one', async () => {
    const page = await perch.publish('<p>mine');
    const other = await perch.publish('<p>theirs');
    const attempt = (headers: Record<string, string>) =>
      perch.api(page, { method: 'PUT', ...raw('<p>x', 'text/html', { headers }) });
    for (const headers of [{}, { 'X-Owner-Token': '' }, { 'X-Owner-Token': '   ' }])
      await expectError(await attempt(headers), 403, 'OWNER_TOKEN_REQUIRED');
    for (const token of ['x', 'x'.repeat(10_000), other.ownerToken, page.ownerToken.toUpperCase()])
      await expectError(await attempt({ 'X-Owner-Token': token }), 403, 'OWNER_TOKEN_WRONG');
    expect(await (await perch.read(page)).text()).toEndWith('<p>mine');
  });

  test('for what is not there, before the token is looked at', async () => {
    await expectError(
      await perch.api(MISSING, { method: 'PUT', ...raw('x', 'text/html') }),
      404,
      'NOT_FOUND',
    );
    const page = await perch.publish('<p>x');
    await perch.api(page, { method: 'DELETE', ...ownedBy(page) });
    await expectError(await perch.api(page, putHtml(page, '<p>y')), 404, 'NOT_FOUND');
  });

  test('for a body that could not be created, after the token was looked at', async () => {
    const page = await perch.publish('<p>mine');
    const attempt = async (options: RequestOptions) => await perch.api(page, put(page, options));
    await expectError(await attempt(raw('x', 'image/png')), 415, 'UNSUPPORTED_MEDIA_TYPE');
    for (const body of Object.values(NOT_TEXT))
      await expectError(await attempt(raw(body, 'text/html')), 422, 'CONTENT_REJECTED');
    for (const body of Object.values(FILES))
      await expectError(await attempt(raw(body, 'application/octet-stream')), 415, 'UNSUPPORTED_MEDIA_TYPE');
    await expectError(await attempt(raw('{', 'application/json')), 400, 'JSON_INVALID');
    await expectError(await attempt({ json: {} }), 400, 'VALIDATION_FAILED', 'content');
    await expectError(await attempt(raw('', 'text/html')), 400, 'VALIDATION_FAILED', 'content');
    await expectError(
      await attempt({ json: { content: 'x', title: 'x'.repeat(201) } }),
      400,
      'VALIDATION_FAILED',
      'title',
    );
    const strangers = { method: 'PUT', ...raw('x', 'image/png', { headers: { 'X-Owner-Token': 'wrong' } }) };
    await expectError(await perch.api(page, strangers), 403, 'OWNER_TOKEN_WRONG');
    expect(await (await perch.read(page)).text()).toEndWith('<p>mine');
  });
});

describe('several at once', () => {
  test('updates all succeed, and one of them is what stays', async () => {
    const page = await perch.publish('<p>start');
    const contents = Array.from({ length: 12 }, (_, n) => `<p>version ${n}`);
    const answers = await atOnce(12, (n) =>
      (perch.clients[n % perch.clients.length] ?? perch).api(page, putHtml(page, contents[n] ?? '')),
    );
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 12 });
    // As stored: what people see names the gateway's own address.
    const left = await Promise.all(
      perch.clients.map(async (client) => (await client.read(page, { query: { raw: true } })).text()),
    );
    expect(contents).toContain(left[0] ?? '');
    expect(new Set(left).size).toBe(1);
  });

  for (const [type, size] of [
    ['text/html', 20_000],
    ['text/markdown', 500],
  ] as const) {
    test(`readers get one whole version while it changes (${type})`, async () => {
      const version = (n: number) => `part-${n} `.repeat(size);
      const page = await perch.publish(raw(version(0), type, { query: { ns: 'busy', id: fresh('page') } }));
      let writing = true;
      const torn: string[] = [];
      const seen = new Set<string>();
      const readers = atOnce(6, async (n) => {
        const client = perch.clients[n % perch.clients.length] ?? perch;
        let latest = -1;
        while (writing) {
          const response = await client.read(page, { query: n < 3 ? {} : { raw: true } });
          const text = await response.text();
          const parts = text.match(/part-\d+/g) ?? [];
          const versions = new Set(parts);
          if (response.status !== 200 || parts.length !== size || versions.size !== 1)
            torn.push(`${response.status} ${parts.length} ${[...versions]}`);
          const current = Number(parts[0]?.slice(5));
          if (current < latest) torn.push(`${latest} then ${current}`);
          latest = current;
          seen.add(parts[0] ?? '');
        }
      });
      for (let n = 1; n <= 15; n++)
        expect((await perch.api(page, put(page, raw(version(n), type)))).status).toBe(200);
      writing = false;
      await readers;
      expect(torn).toEqual([]);
      expect(seen.size).toBeGreaterThan(2);
    }, 180_000);
  }
});
