import { expect, test } from 'bun:test';
import { ownedBy, type RequestOptions } from './support/client.ts';
import { fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, publishKind } from './support/kinds.ts';
import { sharePerch, usePerch } from './support/perch.ts';

const perch = sharePerch();
const AS_BROWSER = { Accept: 'text/html', 'Sec-Fetch-Dest': 'document' };

/** A word that no other item has: other files leave theirs in the gallery. */
const word = (): string => `w${crypto.randomUUID().replaceAll('-', '')}`;

async function open(query: RequestOptions['query'] = {}, client = perch.last): Promise<string> {
  const response = await client.request('/gallery', { query, headers: AS_BROWSER });
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  expect(response.headers.get('Cache-Control')).toBe('no-cache');
  return await response.text();
}

/** Attributes or texts of all elements that match. */
function all(document: string, selector: string, attribute?: string): string[] {
  const found: string[] = [];
  new HTMLRewriter()
    .on(selector, {
      element(element) {
        found.push(attribute === undefined ? '' : (element.getAttribute(attribute) ?? ''));
      },
      text(chunk) {
        if (attribute === undefined) found.push((found.pop() ?? '') + chunk.text);
      },
    })
    .transform(document);
  return found.map((text) => text.replaceAll('&amp;', '&'));
}

const addresses = (page: string): string[] => all(page, '.card-link', 'href');
const countOf = (page: string): string | undefined => all(page, '#gallery-count')[0];

test.each(KINDS.map((kind) => ({ kind })))(
  'an item of kind $kind.name is there from its create to its removal',
  async ({ kind }) => {
    const title = word();
    const item = await publishKind(perch, kind, fresh('card'), { query: { title, tags: 'first tag,b' } });
    for (const client of perch.clients) {
      const page = await open({ q: title }, client);
      expect(addresses(page)).toEqual([`/public/${item.id}`]);
      expect(all(page, '.card-link bdi')).toEqual([title]);
      expect(all(page, '.tags a', 'href')).toEqual(
        ['first+tag', 'b'].map((tag) => `/gallery?q=${title}&tag=${tag}`),
      );
      expect(all(page, '.card-facts').join()).toMatch(/\d (?:bytes?|KB).*views?.*Expires/);
      expect(all(page, '.card time', 'datetime')).toEqual([item.createdAt, item.expiresAt]);
      expect(countOf(page)).toBe(`1 item matches “${title}”`);
    }
    await perch.request(itemPath(kind, item), { method: 'DELETE', ...ownedBy(item) });
    const after = await open({ q: title });
    expect([addresses(after), countOf(after)]).toEqual([[], `0 items match “${title}”`]);
    expect(all(after, '.gallery-empty a', 'href')).toEqual(['/gallery']);
  },
);

test('what is not listed is not there', async () => {
  const title = word();
  await perch.publish('<p>x', { query: { title }, headers: { 'X-Password': 'secret' } });
  await perch.publish('<p>x', { query: { title, ns: 'not-listed' } });
  expect(addresses(await open({ q: title }))).toEqual([]);
});

test('form and links keep what was chosen', async () => {
  const [title, tag] = [word(), word()];
  for (const n of [1, 2])
    await perch.publish(`<p>${n}`, { query: { title: `${title} ${n}`, tags: `${tag},other` } });
  await perch.publish('<p>3', { query: { title } });
  const page = await open({ q: title, kind: 'html', sort: 'views', tag });
  expect(addresses(page)).toHaveLength(2);
  expect(all(page, '#q', 'value')).toEqual([title]);
  expect(all(page, 'input[name="kind"][checked]', 'value')).toEqual(['html']);
  expect(all(page, 'option[selected]', 'value')).toEqual(['views']);
  expect(all(page, 'input[name="tag"]', 'value')).toEqual([tag]);
  expect(all(page, '.filter', 'href')).toEqual([`/gallery?q=${title}&kind=html&sort=views`]);
  expect(all(page, '.tags a[aria-current]')).toHaveLength(2);
  expect(all(page, '.tags a', 'href')).toContain(`/gallery?q=${title}&kind=html&tag=other&sort=views`);
});

test('pages lead to one another, and a page too far back', async () => {
  const title = word();
  await Promise.all(Array.from({ length: 25 }, (_, n) => perch.publish(`<p>${n}`, { query: { title } })));
  const [first, second, third] = await Promise.all([1, 2, 3].map((page) => open({ q: title, page })));
  expect([first, second, third].map((page) => addresses(page ?? '').length)).toEqual([24, 1, 0]);
  expect(new Set([...addresses(first ?? ''), ...addresses(second ?? '')]).size).toBe(25);
  expect(all(first ?? '', '.pages a', 'href')).toEqual([`/gallery?q=${title}&page=2`]);
  expect(all(second ?? '', '.pages a', 'href')).toEqual([`/gallery?q=${title}`]);
  expect(all(third ?? '', '.gallery-empty a', 'href')).toEqual([`/gallery?q=${title}`]);
});

test('hostile titles, tags and searches are text', async () => {
  const attack = `"><script>document.title='ran'</script><img src=x onerror=alert(1)>`;
  const title = `${word()} ${attack}`;
  await perch.publish('<p>x', { query: { title, tags: attack.slice(0, 49) } });
  for (const query of [{ q: title }, { tag: attack.slice(0, 49) }, { q: attack }]) {
    const page = await open(query);
    const asked = [...all(page, 'img', 'src'), ...all(page, 'script', 'src')];
    expect(asked.map((address) => address?.replace(/-[0-9a-f]{10}\./, '.'))).toEqual([
      ...['/assets/favicon.svg', '/assets/frame.en.js', '/assets/gallery.en.js'],
    ]);
  }
});

test('what is wrong with an address is said, to people as a page', async () => {
  for (const query of [{ page: '0' }, { kind: 'picture' }, { sort: 'name' }, { q: 'x'.repeat(201) }]) {
    await expectError(await perch.request('/gallery', { query }), 400, 'VALIDATION_FAILED');
    const page = await perch.request('/gallery', { query, headers: AS_BROWSER });
    expect([page.status, page.headers.get('Content-Type')]).toEqual([400, 'text/html; charset=utf-8']);
  }
  expect((await perch.request('/gallery', { query: { q: 'x'.repeat(200) } })).status).toBe(200);
});

test('only the whole gallery is for search engines, each page of it under its address', async () => {
  for (const [query, address] of [
    [{}, '/gallery'],
    [{ page: 2 }, '/gallery?page=2'],
    [{ q: 'x' }, null],
    [{ kind: 'html' }, null],
    [{ tag: 'x' }, null],
    [{ sort: 'views' }, null],
  ] as const) {
    const page = await open(query, perch.clients[0]);
    expect(all(page, 'link[rel="canonical"]', 'href')).toEqual(
      address === null ? [] : [`${perch.url}${address}`],
    );
    expect(all(page, 'meta[name="robots"]', 'content')).toEqual(address === null ? ['noindex'] : []);
  }
});

test('the home page and the header lead to it', async () => {
  const home = await (await perch.request('/', { headers: AS_BROWSER })).text();
  expect(all(home, 'main a[href="/gallery"], header a[href="/gallery"]')).toHaveLength(2);
});

const alone = usePerch({ env: { LIMIT_READS_PER_MINUTE: '2' } });

test('an empty gallery says so, and its reads are limited', async () => {
  const page = await open({}, alone);
  expect(countOf(page)).toBe('0 items');
  expect(all(page, '.gallery-empty a', 'href')).toEqual(['/']);
  await open({}, alone);
  await expectError(await alone.request('/gallery'), 429, 'RATE_LIMITED');
});
