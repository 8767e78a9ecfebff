import { describe, expect, test } from 'bun:test';
import { type Published, raw, shortPath } from './support/client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const headersOf = (response: Response): Record<string, string> => Object.fromEntries(response.headers);
/** Differ from one answer to the next. */
const MOVING = ['date', 'x-request-id', 'x-views', 'last-modified'];

function withoutMoving(response: Response): Record<string, string> {
  const headers = headersOf(response);
  for (const name of MOVING) delete headers[name];
  return headers;
}

const PAGES: Record<string, () => Promise<Published>> = {
  HTML: () => perch.publish('<h1>Hi</h1>'),
  markdown: () => perch.publish(raw('# Hi', 'text/markdown')),
  text: () => perch.publish(raw('p { color: red }', 'text/css')),
};

describe('the headers of a page', () => {
  test.each(Object.keys(PAGES))('%s', async (kind) => {
    const page = (await PAGES[kind]?.()) as Published;
    const { headers } = await perch.read(page);
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(headers.get('X-Views')).toBe('1');
    expect(headers.get('X-Show-Top-Bar')).toBe('false');
    expect(headers.get('ETag')).toMatch(/^"[\w-]+"$/);
    expect(headers.get('Cache-Control')).toBe('no-cache');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    for (const name of ['Accept', 'Sec-Fetch-Dest']) expect(headers.get('Vary')).toContain(name);
    const policy = headers.get('Content-Security-Policy') ?? '';
    expect(policy).toStartWith('sandbox');
    expect(policy).toContain('allow-scripts');
    expect(policy).not.toContain('allow-same-origin');
    expect(headers.has('Set-Cookie')).toBe(false);
    expect(headers.has('X-Robots-Tag')).toBe(false);
    expect(headers.has('Content-Disposition')).toBe(false);
  });

  test('outside public ask search engines to stay away', async () => {
    const page = await perch.publish('<p>x', { query: { ns: 'quiet' } });
    expect((await perch.read(page)).headers.get('X-Robots-Tag')).toContain('noindex');
  });

  test('say that a page wants the top bar', async () => {
    const page = await perch.publish('<main>x</main>', { query: { showTopBar: true } });
    const view = await perch.read(page);
    expect(view.headers.get('X-Show-Top-Bar')).toBe('true');
    expect(await view.text()).toContain(`${shortPath(page)}?dl=true`);
  });

  test('let XML run no script', async () => {
    const page = await perch.publish(
      raw('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', 'text/xml'),
    );
    for (const query of [{}, { raw: true }, { dl: true }]) {
      const policy = (await perch.read(page, { query })).headers.get('Content-Security-Policy') ?? '';
      expect(policy).toStartWith('sandbox');
      expect(policy).not.toContain('allow-same-origin');
    }
    const stored = await perch.read(page, { query: { raw: true } });
    expect(stored.headers.get('Content-Security-Policy')).not.toContain('allow-scripts');
  });
});

describe('raw', () => {
  test('gives what was stored, with its own type', async () => {
    const page = await perch.publish(raw('# Hi', 'text/markdown'));
    for (const value of ['true', '1', '']) {
      const response = await perch.read(page, { query: { raw: value } });
      expect(response.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8');
      expect(response.headers.has('Content-Disposition')).toBe(false);
      expect(await response.text()).toBe('# Hi');
    }
  });
  test('that is false gives the page', async () => {
    const page = await perch.publish(raw('# Hi', 'text/markdown'));
    for (const value of ['false', '0'])
      expect(await (await perch.read(page, { query: { raw: value } })).text()).toContain('<h1');
  });
});

describe('dl', () => {
  const download = async (page: Published) => await perch.read(page, { query: { dl: true } });

  test('gives what was stored as an attachment', async () => {
    const page = await perch.publish(raw('# Hi', 'text/markdown', { query: { filename: 'hi there.md' } }));
    const response = await download(page);
    expect(await response.text()).toBe('# Hi');
    const disposition = response.headers.get('Content-Disposition') ?? '';
    expect(disposition).toStartWith('attachment;');
    expect(disposition).toContain('filename="hi there.md"');
  });

  test('names it after the page when it has no filename', async () => {
    for (const [type, extension] of [
      ['text/html', 'html'],
      ['text/markdown', 'md'],
      ['text/csv', 'txt|csv'],
    ] as const) {
      const page = await perch.publish(raw('x', type));
      const disposition = (await download(page)).headers.get('Content-Disposition');
      expect(disposition).toMatch(new RegExp(`filename="${page.id}\\.(${extension})"`));
    }
  });

  test('keeps names in any script and of any punctuation whole', async () => {
    for (const filename of [
      'Übersicht.html',
      'данные 数据.md',
      'a "b" c.html',
      "it's 100%.html",
      'a;b=c,d.html',
    ]) {
      const page = await perch.publish({ json: { content: '<p>x', filename } });
      const disposition = (await download(page)).headers.get('Content-Disposition') ?? '';
      const [, encoded = ''] = /filename\*=UTF-8''([^;]+)$/.exec(disposition) ?? [];
      expect(decodeURIComponent(encoded)).toBe(filename);
      const [, plain = ''] = /filename="((?:[^"\\]|\\.)*)"/.exec(disposition) ?? [];
      expect(plain).toMatch(/^[\x20-\x7e]+$/);
    }
  });
});

describe('HEAD', () => {
  test('has the headers of GET and its length, but no body and no view', async () => {
    for (const publish of Object.values(PAGES)) {
      const page = await publish();
      for (const query of [{}, { raw: true }, { dl: true }]) {
        const head = await perch.read(page, { method: 'HEAD', query });
        expect(await head.text()).toBe('');
        const get = await perch.read(page, { query });
        const length = String((await get.bytes()).length);
        expect(head.status).toBe(200);
        expect(withoutMoving(head)).toEqual({ ...withoutMoving(get), 'content-length': length });
      }
      const { headers } = await perch.read(page, { method: 'HEAD' });
      expect(headers.get('X-Views')).toBe('3');
    }
  });
});

describe('If-None-Match', () => {
  test('that names the page gets 304 with its headers', async () => {
    for (const publish of Object.values(PAGES)) {
      const page = await publish();
      for (const query of [{}, { raw: true }]) {
        const get = await perch.read(page, { query });
        const etag = get.headers.get('ETag') ?? '';
        await get.text();
        for (const match of [etag, `W/${etag}`, '*', `"other", ${etag}`, `"a","b" , W/${etag} ,"c"`]) {
          const response = await perch.read(page, { query, headers: { 'If-None-Match': match } });
          expect([match, response.status]).toEqual([match, 304]);
          expect(await response.text()).toBe('');
          for (const name of ['ETag', 'Cache-Control', 'Vary', 'X-Show-Top-Bar'])
            expect(response.headers.get(name)).toBe(get.headers.get(name));
        }
        const head = await perch.read(page, { method: 'HEAD', query, headers: { 'If-None-Match': etag } });
        expect(head.status).toBe(304);
      }
    }
  });

  test('that does not gets the page', async () => {
    const page = await perch.publish('<p>x');
    const etag = (await perch.read(page)).headers.get('ETag') ?? '';
    for (const match of ['"other"', etag.replaceAll('"', ''), etag.slice(0, -2), ''])
      expect((await perch.read(page, { headers: { 'If-None-Match': match } })).status).toBe(200);
  });

  test('tells the view and the stored bytes apart', async () => {
    const page = await perch.publish(raw('# Hi', 'text/markdown'));
    const view = (await perch.read(page)).headers.get('ETag') ?? '';
    const stored = await perch.read(page, { query: { raw: true }, headers: { 'If-None-Match': view } });
    expect(stored.status).toBe(200);
  });
});

describe('GET /api/html/{ns}/{id}', () => {
  test('answers with the rendered page', async () => {
    const page = await perch.publish(raw('# Hi', 'text/markdown'));
    const response = await perch.api(page);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Content-Security-Policy')).toStartWith('sandbox');
    expect(await response.text()).toBe(await (await perch.read(page)).text());
  });
});
