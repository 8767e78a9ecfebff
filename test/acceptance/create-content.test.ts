import { describe, expect, test } from 'bun:test';
import { type Body, jsonOf, raw, shortPath } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';
import { FILES, NOT_TEXT, OTHER_BINARIES } from './support/samples.ts';

const perch = sharePerch();

describe('raw bodies', () => {
  const types: Array<[type: string, content: string, format: string]> = [
    ['text/html', '<h1>Hi</h1>', 'HTML'],
    ['text/markdown', '# Hi', 'MARKDOWN'],
    ['text/plain', 'just words', 'TEXT'],
    ['text/yaml', 'a: <b>\n', 'TEXT'],
    ['text/xml', '<a><b/></a>', 'TEXT'],
    ['text/csv', 'a,b\n1,<2>\n', 'TEXT'],
    ['text/css', 'p > b { color: red }', 'TEXT'],
    ['text/javascript', 'alert("<p>")', 'TEXT'],
    ['text/x-toml', 'a = "<b>"', 'TEXT'],
    ['application/xml', '<a><b/></a>', 'TEXT'],
    ['application/yaml', 'a: 1\n', 'TEXT'],
    ['application/x-yaml', 'a: 2\n', 'TEXT'],
    ['application/javascript', 'let a = 1 < 2;', 'TEXT'],
    ['application/toml', 'a = 3', 'TEXT'],
  ];

  for (const [type, content, format] of types) {
    test(`${type} is a page of format ${format}, and raw gives it back with its own type`, async () => {
      const page = await perch.publish(raw(content, type));
      expect(page.format).toBe(format);

      const view = await perch.read(page);
      expect(view.status).toBe(200);
      expect(view.headers.get('Content-Type')).toBe('text/html; charset=utf-8');

      const stored = await perch.read(page, { query: { raw: true } });
      expect(stored.headers.get('Content-Type')).toStartWith(type);
      expect(await stored.text()).toBe(content);
    });
  }

  const charsets = [
    'text/html; charset=utf-8',
    'text/html;charset=UTF-8',
    'Text/HTML ; Charset="utf-8"',
    'text/html; boundary=x; charset=utf-8',
  ];
  for (const type of charsets) {
    test(`Content-Type may say: ${type}`, async () => {
      const page = await perch.publish(raw('<p>Grüße</p>', type));
      expect(page).toMatchObject({ format: 'HTML', sizeBytes: 14 });
    });
  }

  test('the format parameter wins over the Content-Type', async () => {
    const cases = { html: 'HTML', HTML: 'HTML', markdown: 'MARKDOWN', MARKDOWN: 'MARKDOWN', md: 'MARKDOWN' };
    for (const [format, stored] of Object.entries(cases))
      expect((await perch.publish(raw('# Hi', 'text/plain', { query: { format } }))).format).toBe(stored);
    const html = await perch.publish(raw('<p>hi', 'text/markdown', { query: { format: 'html' } }));
    expect(html.format).toBe('HTML');
  });

  test('an unknown format is refused', async () => {
    for (const format of ['docx', 'constructor', '__proto__']) {
      const response = await perch.post(raw('x', 'text/html', { query: { format } }));
      await expectError(response, 400, 'VALIDATION_FAILED', 'format');
    }
  });

  test('text/plain that begins like HTML is HTML, other text is TEXT', async () => {
    const html = ['<p>a', '  \n\t<!doctype html><p>a', '<!-- c --><p>a', '<B>a</B>'];
    for (const body of html) expect((await perch.publish(raw(body, 'text/plain'))).format).toBe('HTML');
    const text = ['a <p>', '< p>', '<3 you', '1 < 2', '</p>', '<?xml version="1.0"?>'];
    for (const body of text) expect((await perch.publish(raw(body, 'text/plain'))).format).toBe('TEXT');
  });
});

describe('views', () => {
  test('HTML is served as it was given', async () => {
    const content = '<!doctype html><title>T</title><script>let a = 1</script><p onclick="a()">x &amp; y\r\n';
    const page = await perch.publish(content, { query: { ns: 'as-given' } });
    expect(await (await perch.read(page)).text()).toBe(content);
    const listed = await perch.publish(content);
    expect(await (await perch.read(listed, { query: { raw: true } })).text()).toBe(content);
    const [doctype = '', rest = ''] = content.split(/(?=<title>)/);
    const view = await (await perch.read(listed)).text();
    expect([view.startsWith(doctype), view.endsWith(rest)]).toEqual([true, true]);
  });

  test('markdown is rendered: GFM, footnotes, anchors, code; what is unsafe goes', async () => {
    const content = [
      '# Über alles\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n\nsee[^1] ~~old~~\n\n[^1]: the note',
      '```js\nconst a = 1;\n```',
      '<script>alert(1)</script><img src=x onerror="alert(2)">',
      '[bad](javascript:alert(3)) <a href="javascript:alert(4)">bad</a>',
    ].join('\n\n');
    const page = await perch.publish(raw(content, 'text/markdown'));
    const view = await (await perch.read(page)).text();
    for (const part of ['<table', '<del>', 'type="checkbox"', 'class="hljs-keyword"', 'the note'])
      expect(view).toContain(part);
    expect(view).toMatch(/<h1 id="[^"]+"/);
    expect(view).not.toContain('alert(1)');
    expect(view).not.toContain('onerror');
    expect(view).not.toContain('"javascript:');
  });

  test('TEXT is escaped and highlighted', async () => {
    const page = await perch.publish(raw('let a = "<script>alert(1)</script>";', 'text/javascript'));
    const view = await (await perch.read(page)).text();
    expect(view).toContain('&lt;script&gt;');
    expect(view).not.toContain('<script>alert(1)');
    expect(view).toContain('class="hljs-keyword"');
  });
});

describe('application/octet-stream', () => {
  const binary = (body: Body) => raw(body, 'application/octet-stream');

  test('text is sniffed as text/plain is', async () => {
    expect((await perch.publish(binary('<h1>Hi</h1>'))).format).toBe('HTML');
    expect((await perch.publish(binary('Hi'))).format).toBe('TEXT');
  });
  for (const [name, body] of Object.entries(FILES)) {
    test(`${name} goes into the file store`, async () => {
      const file = await perch.publish(binary(body));
      expect(file).toMatchObject({
        filename: `upload.${name}`,
        ownerLink: `${perch.url}/api/files/public/${file.id}`,
      });
      const answer = await perch.read(file);
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(
        new Uint8Array(await new Response(body).arrayBuffer()),
      );
    });
  }
  for (const [name, body] of Object.entries({ ...OTHER_BINARIES, ...NOT_TEXT })) {
    test(`${name} is refused`, async () => {
      await expectError(await perch.post(binary(body)), 422, 'CONTENT_REJECTED');
    });
  }
});

describe('what is no text', () => {
  for (const [name, body] of Object.entries({ ...NOT_TEXT, png: FILES.png ?? '', zip: FILES.zip ?? '' })) {
    test(`${name} is refused on the text path`, async () => {
      for (const type of ['text/html', 'text/plain', 'application/xml'])
        await expectError(await perch.post(raw(body, type)), 422, 'CONTENT_REJECTED');
    });
  }

  test('NUL and half a surrogate pair are refused inside JSON', async () => {
    for (const sequence of ['\\u0000', '\\ud83d', '\\ude00', '\\ude00\\ud83d'])
      await expectError(
        await perch.post(raw(`{"content":"<p>${sequence}</p>"}`, 'application/json')),
        422,
        'CONTENT_REJECTED',
      );
    const pair = await perch.publish(raw('{"content":"<p>\\ud83d\\ude00"}', 'application/json'));
    expect(await (await perch.read(pair)).text()).toEndWith('<p>😀');
  });

  test('JSON in bytes that are no UTF-8 is invalid JSON', async () => {
    const body = Buffer.concat([Buffer.from('{"content":"'), Uint8Array.of(0xff), Buffer.from('"}')]);
    await expectError(await perch.post(raw(body, 'application/json')), 400, 'JSON_INVALID');
  });
});

describe('Content-Type', () => {
  const unknown = [
    'image/png',
    'application/pdf',
    'multipart/form-data; boundary=x',
    'text/unheard-of',
    'html',
  ];
  for (const type of unknown) {
    test(`${type} is unsupported`, async () => {
      await expectError(await perch.post(raw('<p>hi', type)), 415, 'UNSUPPORTED_MEDIA_TYPE');
    });
  }

  test('a missing one leaves it to the content', async () => {
    const body = new TextEncoder().encode('<p>hi');
    expect(await jsonOf(await perch.post({ body }), 201)).toMatchObject({ format: 'HTML' });
  });

  test('a charset other than UTF-8 is unsupported', async () => {
    const response = await perch.post(raw('<p>hi', 'text/html; charset=utf-16'));
    await expectError(response, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });
});

test('empty content is refused, raw and in JSON', async () => {
  for (const type of ['text/html', 'text/plain', 'text/markdown', 'application/octet-stream'])
    await expectError(await perch.post(raw('', type)), 400, 'VALIDATION_FAILED', 'content');
  await expectError(await perch.post({ json: { content: '' } }), 400, 'VALIDATION_FAILED', 'content');
});

test('unusual but valid text is kept to the byte', async () => {
  for (const content of ['<p>\ufeff\u{10ffff} a\u0301\r\n\r', '\ufeff<p>BOM', '<p>\u0001\u007f']) {
    const page = await perch.publish(content);
    const stored = await perch.read(page, { query: { raw: true } });
    expect(Buffer.from(await stored.arrayBuffer())).toEqual(Buffer.from(content));
  }
});

test('a page of one byte is a page', async () => {
  const page = await perch.publish(raw('x', 'text/html'));
  expect(page.sizeBytes).toBe(1);
  const address = await jsonOf(
    await perch.api(page, {
      method: 'PUT',
      ...raw('y', 'text/html', { headers: { 'X-Owner-Token': page.ownerToken } }),
    }),
  );
  expect(address.id).toBe(page.id);
  expect(await (await perch.request(shortPath(page))).text()).toEndWith('\ny');
});
