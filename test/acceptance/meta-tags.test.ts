import { describe, expect, test } from 'bun:test';
import { apiPath, jsonOf, ownedBy, type Published, raw, shortPath } from './support/client.ts';
import { fresh } from './support/concurrency.ts';
import { itemPath, KINDS, publishKind } from './support/kinds.ts';
import { sharePerch, usePerch } from './support/perch.ts';

const perch = sharePerch();

const HTML =
  '<!doctype html><html><head><title>x</title></head><body><p>What it says first.</p></body></html>';
const AS_BROWSER = { headers: { Accept: 'text/html', 'Sec-Fetch-Dest': 'document' } };

/** The text of a tag, `null` when the page has none, an error when it has several. */
function tag(document: string, selector: string, attribute: string): string | null {
  const found: string[] = [];
  new HTMLRewriter()
    .on(selector, { element: (element) => void found.push(element.getAttribute(attribute) ?? '') })
    .transform(document);
  if (found.length > 1) throw new Error(`${selector} is there ${found.length} times`);
  return found[0] ?? null;
}

const canonical = (document: string) => tag(document, 'link[rel="canonical"]', 'href');
const description = (document: string) => tag(document, 'meta[name="description"]', 'content');
const openGraph = (document: string, name: string) => tag(document, `meta[property="og:${name}"]`, 'content');

describe.each([
  ['text/html', HTML],
  ['text/html', '<p>What it says first.'],
  ['text/markdown', '# Heading\n\nWhat it says first.\n'],
  ['text/yaml', 'What it says first.'],
])('a public page (%s: %j)', (type, content) => {
  test('tells search engines and link previews of itself, with and without the top bar', async () => {
    for (const showTopBar of [true, false]) {
      const page = await perch.publish(
        raw(content, type, { query: { title: 'Launch "notes" <1>', showTopBar } }),
      );
      for (const client of perch.clients) {
        const url = `${client.url}${shortPath(page)}`;
        const view = await (await client.read(page)).text();
        expect(canonical(view)).toBe(url);
        expect(description(view)).toBe('What it says first.');
        expect(openGraph(view, 'title')).toBe('Launch &quot;notes&quot; &lt;1&gt;');
        expect(openGraph(view, 'type')).toBe('website');
        expect(openGraph(view, 'url')).toBe(url);
        expect(openGraph(view, 'site_name')).toBe('Perch');
        expect(openGraph(view, 'description')).toBe('What it says first.');
        expect(openGraph(view, 'image')).toBe(`${client.url}/preview${shortPath(page)}.png`);
        expect(await (await client.api(page)).text()).toBe(view);
      }
    }
  });

  test('is what was stored for its owner, raw and as a download', async () => {
    const page = await perch.publish(raw(content, type));
    for (const query of [{ raw: true }, { dl: true }])
      expect(await (await perch.read(page, { query })).text()).toBe(content);
    const source = await jsonOf(await perch.request(`${apiPath(page)}/source`, ownedBy(page)));
    expect(source.content).toBe(content);
  });

  test('has none of it with a password or in another namespace', async () => {
    for (const options of [
      { headers: { 'X-Password': 'secret' } },
      { query: { ns: 'not-listed' } },
      { query: { ns: 'not-listed' }, headers: { 'X-Password': 'secret' } },
    ]) {
      const page = await perch.publish(raw(content, type, options));
      const response = await perch.read(page, { headers: { 'X-Password': 'secret' } });
      expect(response.headers.get('X-Robots-Tag')).toBe('noindex');
      const view = await response.text();
      expect([canonical(view), description(view), openGraph(view, 'title')]).toEqual([null, null, null]);
    }
  });

  test('has another ETag as a view than raw, and another again under another title', async () => {
    const etag = async (page: Published, query = {}) =>
      (await perch.last.read(page, { query })).headers.get('ETag') ?? '';
    const page = await perch.publish(raw(content, type, { query: { title: 'First' } }));
    const [view, stored] = [await etag(page), await etag(page, { raw: true })];
    expect(view).not.toBe(stored);
    const headers = { 'If-None-Match': view };
    expect((await perch.read(page, { headers })).status).toBe(304);
    expect((await perch.read(page, { headers: { 'If-None-Match': stored } })).status).toBe(200);

    const change = raw(content, type, { method: 'PUT', query: { title: 'Second' }, ...ownedBy(page) });
    await jsonOf(
      await perch.api(page, { ...change, headers: { ...ownedBy(page).headers, 'Content-Type': type } }),
    );
    for (const client of perch.clients) {
      const after = await client.read(page, { headers });
      expect(after.status).toBe(200);
      expect(openGraph(await after.text(), 'title')).toBe('Second');
    }
    expect(await etag(page, { raw: true })).toBe(stored);
  });
});

test('what a page brings itself is not said a second time', async () => {
  const own =
    '<link rel="canonical" href="https://a.example/"><meta name="description" content="Own."><meta property="og:title" content="Own title">';
  const view = await (await perch.read(await perch.publish(`<head>${own}</head><p>Text`))).text();
  expect(canonical(view)).toBe('https://a.example/');
  expect([description(view), openGraph(view, 'title')]).toEqual(['Own.', 'Own title']);
  expect([openGraph(view, 'description'), openGraph(view, 'url')]).toEqual(['Own.', null]);
});

test('the description of a markdown page goes on behind its formulas', async () => {
  const content = '$x$ is $\\le \\frac{a}{b}$, as follows.\n\nMore.\n';
  const view = await (await perch.read(await perch.publish(raw(content, 'text/markdown')))).text();
  expect(description(view)).toBe('x is \\le \\frac{a}{b}, as follows.');
});

test('a page without title and text goes by its id', async () => {
  const page = await perch.publish('<img src="data:,">');
  const view = await (await perch.read(page)).text();
  expect(openGraph(view, 'title')).toBe(page.id);
  expect([description(view), openGraph(view, 'description')]).toEqual([null, null]);
});

test('an uploaded page without a title is what was sent, but for the tags and the top bar', async () => {
  const head = '<!doctype html><html><head>';
  const body = `<svg><title>Untitled</title></svg><script>const tag = '<title>Untitled</title>';</script>
<main class="file">\n<header></header>Text</main></body></html>`;
  for (const showTopBar of [true, false]) {
    const page = await perch.publish(`${head}</head><body>${body}`, { query: { showTopBar } });
    const view = await (await perch.read(page)).text();
    expect([page.title, openGraph(view, 'title')]).toEqual(['', page.id]);
    expect([view.slice(0, head.length), view.slice(-body.length)]).toEqual([head, body]);
  }
});

test('readers at once of a new page get the same', async () => {
  const page = await perch.publish(HTML);
  const views = await Promise.all(
    Array.from({ length: 20 }, async () => await (await perch.read(page)).text()),
  );
  expect(new Set(views).size).toBe(1);
});

describe.each(KINDS.filter(({ name }) => name === 'file' || name === 'kv'))(
  'what people see of a public $name',
  (kind) => {
    test('is for search engines', async () => {
      const item = await publishKind(perch, kind, fresh('meta'));
      const view = await (await perch.request(shortPath(item), AS_BROWSER)).text();
      expect(canonical(view)).toBe(`${perch.url}${shortPath(item)}`);
      expect(openGraph(view, 'url')).toBe(`${perch.url}${shortPath(item)}`);
      expect(openGraph(view, 'image')).toBe(`${perch.url}/preview${shortPath(item)}.png`);
      expect(tag(view, 'meta[name="robots"]', 'content')).toBe(null);
    });

    test('is not with a password or in another namespace', async () => {
      for (const options of [{ query: { p: 'secret' } }, { query: { ns: 'not-listed' } }]) {
        const item = await publishKind(perch, kind, fresh('meta'), options);
        const headers = { ...AS_BROWSER.headers, 'X-Password': 'secret' };
        const response = await perch.request(shortPath(item), { headers });
        expect([response.status, response.headers.get('X-Robots-Tag')]).toEqual([200, 'noindex']);
        const view = await response.text();
        expect([canonical(view), openGraph(view, 'title'), openGraph(view, 'image')]).toEqual([
          null,
          null,
          null,
        ]);
      }
      expect(itemPath(kind, { namespace: 'public', id: 'a' } as Published)).toContain('/public/a');
    });
  },
);

test("the service's own pages say which of them are for search engines", async () => {
  const home = await (await perch.request('/', AS_BROWSER)).text();
  expect(canonical(home)).toBe(`${perch.url}/`);
  const locked = await perch.publish(HTML, { headers: { 'X-Password': 'secret' } });
  for (const path of [
    '/report',
    '/public/nothing-here',
    '/s/nothing',
    shortPath(locked),
    '/gallery?page=0',
  ]) {
    const view = await (await perch.request(path, AS_BROWSER)).text();
    expect([path, tag(view, 'meta[name="robots"]', 'content'), canonical(view)]).toEqual([
      path,
      'noindex',
      null,
    ]);
  }
});

describe('where items have a host of their own', () => {
  const CONTENT_BASE_URL = 'https://pages.test';
  const separate = usePerch({ env: { CONTENT_BASE_URL } });

  test('that is their address', async () => {
    const page = await separate.publish(HTML);
    const view = await (await separate.read(page, { headers: { Host: 'pages.test' } })).text();
    expect(canonical(view)).toBe(`${CONTENT_BASE_URL}${shortPath(page)}`);
  });
});
