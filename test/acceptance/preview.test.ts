import { describe, expect, test } from 'bun:test';
import { jsonOf, type RequestOptions, raw } from './support/client.ts';
import { fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';
import { FILES, NOT_TEXT } from './support/samples.ts';

const perch = sharePerch();

interface Preview {
  format: string;
  title: string;
  html: string;
}

const ask = (options: RequestOptions): Promise<Response> =>
  perch.request('/api/preview', { method: 'POST', ...options });
const preview = async (options: RequestOptions): Promise<Preview> =>
  await jsonOf<Preview>(await ask(options));

describe('a preview', () => {
  test('is what readers of the page will see, made by the renderer of creates', async () => {
    const texts: Array<[content: string, type: string]> = [
      [
        '# Launch\n\nOn **Monday**, see [this](https://example.com).\n\n```js\nlet a = 1;\n```\n',
        'text/markdown',
      ],
      ['launch: Monday # really\n', 'text/yaml'],
      ['a & b < c\n', 'text/plain'],
      ['<!doctype html><title>Own</title><script>1</script>', 'text/html'],
    ];
    for (const [content, type] of texts) {
      const seen = await preview(raw(content, type));
      const page = await perch.publish(raw(content, type, { query: { ns: fresh('preview') } }));
      expect(seen).toEqual({
        format: page.format,
        title: page.title,
        // A read puts in the actions of a text, and the id where there is no title.
        html: (await (await perch.read(page)).text())
          .replace(/<style>[^<]*<\/style><script>[\s\S]*<\/script>\n(?=<\/body>)/, '')
          .replace(/<p class="text-actions">.*?<\/p>/, '')
          .replace(`<title>${page.id}</title>`, '<title>Untitled</title>')
          .replace(`<h1>${page.id}</h1>`, ''),
      });
    }
  });

  test('takes JSON, and parameters in the query before those in the body', async () => {
    const json = { content: '# Heading', format: 'markdown', title: 'In the body', filename: 'a.md' };
    expect(await preview({ json })).toMatchObject({ format: 'MARKDOWN', title: 'In the body' });
    const query = { format: 'text', title: 'In the query' };
    expect(await preview({ json, query })).toMatchObject({ format: 'TEXT', title: 'In the query' });
    const { title } = await preview({ json: { ...json, content: 'no heading', title: null } });
    expect(title).toBe('a.md');
  });

  test('runs nothing: it is JSON, whatever the browser asks for, and what is rendered is sanitised', async () => {
    const content = '# Hi\n\n<script>alert(1)</script><img src=x onerror=alert(1)>[x](javascript:alert(1))';
    const response = await ask(raw(content, 'text/markdown', { headers: { Accept: 'text/html' } }));
    expect(response.headers.get('Content-Type')).toStartWith('application/json');
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(response.headers.get('Cache-Control')).toBe('private, no-store');
    const { html } = await jsonOf<Preview>(response);
    expect(html).not.toMatch(/<script|onerror|href=.javascript:/);
  });

  test('stores nothing, and counts neither a view nor a create', async () => {
    const token = `own_${crypto.randomUUID()}`;
    await preview(raw('# Nowhere', 'text/markdown', { headers: { 'X-Owner-Token': token } }));
    const items = await perch.request('/api/owner/items', { headers: { 'X-Owner-Token': token } });
    expect(await jsonOf(items)).toMatchObject({ items: [], total: 0 });
  });

  test('is refused for what could not be published', async () => {
    await expectError(await ask(raw(' \n', 'text/markdown')), 400, 'VALIDATION_FAILED');
    await expectError(await ask({ json: { format: 'html' } }), 400, 'VALIDATION_FAILED');
    await expectError(await ask(raw('{', 'application/json')), 400, 'JSON_INVALID');
    await expectError(await ask(raw('x', 'image/png')), 415, 'UNSUPPORTED_MEDIA_TYPE');
    await expectError(
      await ask(raw(FILES.png ?? '', 'application/octet-stream')),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
    for (const bytes of Object.values(NOT_TEXT))
      await expectError(await ask(raw(bytes, 'text/plain')), 422, 'CONTENT_REJECTED');
    const query = { format: 'pdf', title: 'x'.repeat(201), filename: 'a/b' };
    const fault = await jsonOf<{ details: Array<{ field: string }> }>(
      await ask(raw('x', 'text/plain', { query })),
      400,
    );
    expect(fault.details.map(({ field }) => field).toSorted()).toEqual(['filename', 'format', 'title']);
  });

  test('has at most 1 MB, raw and in JSON', async () => {
    const most = 'a'.repeat(1_048_576);
    const { html } = await preview(raw(most, 'text/plain'));
    expect(html.length).toBeGreaterThan(most.length);
    await expectError(await ask(raw(`${most}a`, 'text/markdown')), 422, 'TOO_LARGE');
    await expectError(await ask({ json: { content: `${most}a` } }), 422, 'TOO_LARGE');
  });

  test('of a text whose rendering would not fit into a message is its plain text', async () => {
    const { html } = await preview(raw('<'.repeat(1_000_000), 'text/plain'));
    expect(html).toContain('&lt;&lt;');
    // Each of these is an element of its own, highlighted.
    const dense = await preview(raw('a:1\n'.repeat(200_000), 'text/yaml'));
    expect(dense.format).toBe('TEXT');
    expect(dense.html).toContain('a:1');
  });
});
