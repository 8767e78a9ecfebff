import { describe, expect, test } from 'bun:test';
import { codePath, jsonOf, type Published, raw, servedByPath, shortPath } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DAY_MS = 86_400_000;

describe('the answer to a create', () => {
  test('has every field, with defaults for what was not said', async () => {
    const response = await perch.post(raw('<p>Grüße', 'text/html'));
    const created = await jsonOf<Published>(response, 201);
    const { id, ownerToken, shortUrl, createdAt, expiresAt } = created;
    const url = `${perch.url}/public/${id}`;
    expect(created).toEqual({
      namespace: 'public',
      id,
      url,
      shortUrl,
      ownerToken,
      link: url,
      ownerLink: `${perch.url}/api/html/public/${id}`,
      sizeBytes: 10,
      tags: [],
      ttlDays: 15,
      hasPassword: false,
      createdAt,
      expiresAt,
      format: 'HTML',
      title: '',
      filename: null,
      showTopBar: null,
      ...servedByPath(perch.url, created),
      result: { code: 'success', action: 'created' },
    } as unknown as Published);
    expect(id).toMatch(/^[A-Za-z0-9]{10}$/);
    expect(shortUrl.slice(perch.url.length)).toMatch(/^\/s\/[A-Za-z0-9]{7}$/);
    expect(ownerToken).toMatch(/^own_[\w-]{43}$/);
    for (const instant of [createdAt, expiresAt]) expect(instant).toMatch(INSTANT);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(15 * DAY_MS);
    expect(response.headers.get('Location')).toBe(url);
    expect(response.headers.get('Content-Type')).toStartWith('application/json');
    expect(response.headers.has('X-Existing-Resource')).toBe(false);
  });

  test('follows the weights in Accept', async () => {
    const cases = {
      'text/plain': 'text/plain',
      'text/plain, application/json;q=0.5': 'text/plain',
      'text/plain;q=0.5, application/json': 'application/json',
      'text/*': 'text/plain',
      'text/plain;charset=utf-8': 'text/plain',
      'text/plain; Charset="UTF-8"; q=0.9, application/json;charset=utf-8;q=0.5': 'text/plain',
      'application/json, text/plain;charset=utf-8': 'application/json',
      'text/plain;charset=utf-8;q=0.1, application/json;q=0.2': 'application/json',
      'text/plain;format=flowed': 'application/json',
      '*/*': 'application/json',
      'image/png': 'application/json',
    };
    for (const [accept, type] of Object.entries(cases)) {
      const response = await perch.post(raw('<p>hi', 'text/html', { headers: { Accept: accept } }));
      expect([accept, response.status]).toEqual([accept, 201]);
      expect(response.headers.get('Content-Type')).toStartWith(type);
    }
  });

  test('ids, codes and tokens are new every time', async () => {
    const pages = await Promise.all(Array.from({ length: 20 }, () => perch.publish('<p>same')));
    for (const field of ['id', 'shortUrl', 'ownerToken'] as const)
      expect(new Set(pages.map((page) => page[field])).size).toBe(20);
  });
});

describe('a JSON body', () => {
  test('carries everything a create may say', async () => {
    const page = await perch.publish({
      json: {
        content: '# Hi',
        format: 'MARKDOWN',
        ns: 'json-body',
        id: 'every.thing_1',
        ttl: 3,
        tags: 'One, two ,ONE',
        title: 'My title',
        filename: 'mine.md',
        showTopBar: true,
        password: 'secret words',
      },
    });
    expect(page).toMatchObject({
      namespace: 'json-body',
      id: 'every.thing_1',
      format: 'MARKDOWN',
      ttlDays: 3,
      sizeBytes: 4,
      tags: ['one', 'two'],
      title: 'My title',
      filename: 'mine.md',
      showTopBar: true,
      hasPassword: true,
    });
    const view = await perch.read(page, { headers: { 'X-Password': 'secret words' } });
    expect(view.status).toBe(200);
  });

  test('knows the other names', async () => {
    const json = { content: '<p>x', namespace: 'json-alias', ttlDays: '4 days', tags: ['B', ' a ', 'b'] };
    expect(await perch.publish({ json })).toMatchObject({
      namespace: 'json-alias',
      ttlDays: 4,
      tags: ['b', 'a'],
    });
  });

  test('names the format as HTML, MARKDOWN, html, md or markdown; HTML when it does not', async () => {
    const cases = { HTML: 'HTML', html: 'HTML', MARKDOWN: 'MARKDOWN', md: 'MARKDOWN', markdown: 'MARKDOWN' };
    for (const [format, stored] of Object.entries(cases))
      expect((await perch.publish({ json: { content: '# x', format } })).format).toBe(stored);
    expect((await perch.publish({ json: { content: 'plain words' } })).format).toBe('HTML');
    for (const format of ['pdf', 7, ['html']])
      await expectError(
        await perch.post({ json: { content: 'x', format } }),
        400,
        'VALIDATION_FAILED',
        'format',
      );
  });

  test('gives way to the query', async () => {
    const page = await perch.publish({
      json: {
        content: '# x',
        format: 'HTML',
        ns: 'from-body',
        id: 'body',
        ttl: 1,
        tags: 'body',
        title: 'body',
        filename: 'body.txt',
        showTopBar: true,
        password: 'body',
      },
      query: {
        format: 'md',
        ns: 'from-query',
        id: 'query',
        ttl: '2d',
        tags: 'query',
        title: 'query',
        filename: 'query.txt',
        showTopBar: false,
        p: 'query',
      },
    });
    expect(page).toMatchObject({
      format: 'MARKDOWN',
      namespace: 'from-query',
      id: 'query',
      ttlDays: 2,
      tags: ['query'],
      title: 'query',
      filename: 'query.txt',
      showTopBar: false,
    });
    expect((await perch.read(page, { query: { p: 'query' } })).status).toBe(200);
    expect((await perch.read(page, { query: { p: 'body' } })).status).toBe(403);
  });

  test('and the query to a header', async () => {
    const json = { content: '<p>x', password: 'body' };
    const page = await perch.publish({ json, query: { p: 'query' }, headers: { 'X-Password': 'header' } });
    for (const [p, status] of [
      ['header', 200],
      ['query', 403],
      ['body', 403],
    ] as const)
      expect((await perch.read(page, { query: { p } })).status).toBe(status);
  });

  test('must be a JSON object with the content as text', async () => {
    for (const body of ['', '{', '{"content":"x"', "{'content':'x'}", '[]', '"x"', 'null', '17'])
      await expectError(await perch.post(raw(body, 'application/json')), 400, 'JSON_INVALID');
    const messageOf = async (json: object) =>
      (await expectError(await perch.post({ json }), 400, 'VALIDATION_FAILED', 'content')).details?.[0]
        ?.message;
    for (const json of [{}, { content: null }, { Content: 'x' }])
      expect(await messageOf(json)).toStartWith('is missing');
    for (const content of [7, false, ['x'], { text: 'x' }])
      expect(await messageOf({ content })).toBe('must be text.');
  });

  test('of wrong types is refused field by field', async () => {
    const wrong = { showTopBar: 'maybe', title: 7, filename: ['a'], tags: { a: 1 }, password: 12 };
    for (const [field, value] of Object.entries(wrong))
      await expectError(
        await perch.post({ json: { content: 'x', [field]: value } }),
        400,
        'VALIDATION_FAILED',
        field,
      );
    const both = await expectError(
      await perch.post({ json: { content: 'x', showTopBar: 'maybe', title: 7 } }),
      400,
      'VALIDATION_FAILED',
      'title',
    );
    expect(both.details).toHaveLength(2);
  });

  test('may have a charset in its type and fields nobody knows', async () => {
    const body = '{"content":"<p>é","unknown":{"a":[1]},"__proto__":{"title":"no"}}';
    const page = await perch.publish(raw(body, 'application/json; charset=UTF-8'));
    expect(page).toMatchObject({ title: '', sizeBytes: 5 });
  });
});

describe('the title', () => {
  const titles: Array<
    [what: string, type: string, content: string, query: Record<string, string>, title: string]
  > = [
    ['the one given', 'text/html', '<title>Page</title>', { title: 'Given', filename: 'f.html' }, 'Given'],
    ["the page's own", 'text/html', '<title> A &amp;\n B </title><h1>H', { filename: 'f.html' }, 'A & B'],
    [
      'the first markdown heading',
      'text/markdown',
      'x\n\n## *One* `two`\n\n# Three',
      { filename: 'f.md' },
      'One two',
    ],
    ['the filename', 'text/markdown', 'no heading', { filename: 'f.md' }, 'f.md'],
    ['the filename', 'text/html', '<p>no title', { filename: 'f.html' }, 'f.html'],
    ['the filename', 'text/css', 'p {}', { filename: 'f.css' }, 'f.css'],
  ];
  for (const [what, type, content, query, title] of titles) {
    test(`is ${what} (${type})`, async () => {
      expect((await perch.publish(raw(content, type, { query }))).title).toBe(title);
    });
  }

  test('is what the page itself shows, also where it is the filename', async () => {
    for (const [type, content, filename] of [
      ['text/plain', 'words', 'notes.txt'],
      ['text/yaml', 'a: 1', 'a&b.yaml'],
      ['text/markdown', 'no heading', 'notes.md'],
    ] as const) {
      const page = await perch.publish(raw(content, type, { query: { filename } }));
      expect(page.title).toBe(filename);
      const view = await (await perch.read(page)).text();
      expect(view).toContain(`<title>${Bun.escapeHTML(filename)}</title>`);
      if (page.format === 'TEXT') expect(view).toContain(`<h1>${Bun.escapeHTML(filename)}</h1>`);
    }
    const query = { filename: 'notes.md' };
    const headed = await perch.publish(raw('# Heading', 'text/markdown', { query }));
    expect(await (await perch.read(headed)).text()).toContain('<title>Heading</title>');
  });
});

test('the short link of a new page leads to it', async () => {
  const page = await perch.publish('<p>x');
  const response = await perch.request(codePath(page));
  expect(response.status).toBe(302);
  expect(response.headers.get('Location')).toBe(`${perch.url}${shortPath(page)}`);
});
