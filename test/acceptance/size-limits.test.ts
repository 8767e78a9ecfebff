import { describe, expect, test } from 'bun:test';
import { type Body, ownedBy, type RequestOptions, raw } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';
import { PAGE_LIMIT, pageOf } from './support/samples.ts';

const perch = sharePerch();

/** The text in pieces without a declared length, as `Transfer-Encoding: chunked`. */
function chunked(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const step = 500_000;
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(sent, sent + step));
      sent += step;
    },
  });
}

const ways: Array<[name: string, send: (content: string) => RequestOptions]> = [
  ['raw with its length declared', (content) => raw(content, 'text/html')],
  ['raw and chunked', (content) => raw(chunked(content), 'text/html')],
  ['as an octet-stream', (content) => raw(content, 'application/octet-stream')],
  ['in JSON', (content) => ({ json: { content } })],
  ['in chunked JSON', (content) => raw(chunked(JSON.stringify({ content })), 'application/json')],
];

describe('a page of 5 MB', () => {
  for (const [name, send] of ways) {
    test(`is accepted ${name}, and one byte less`, async () => {
      for (const size of [PAGE_LIMIT - 1, PAGE_LIMIT]) {
        const content = pageOf(size, name);
        const page = await perch.publish(send(content));
        expect(page.sizeBytes).toBe(size);
        const view = await perch.read(page, { query: { raw: true } });
        expect(view.headers.get('Content-Length')).toBe(String(size));
        expect(Bun.hash(await view.text())).toBe(Bun.hash(content));
      }
    });

    test(`and one byte is refused ${name}`, async () => {
      await expectError(await perch.post(send(pageOf(PAGE_LIMIT + 1, name))), 422, 'TOO_LARGE');
    });
  }

  test('counts bytes, not characters', async () => {
    const full = `<p>${'ü'.repeat((PAGE_LIMIT - 3 - 1) / 2)}`;
    expect((await perch.publish({ json: { content: `${full}x` } })).sizeBytes).toBe(PAGE_LIMIT);
    await expectError(await perch.post({ json: { content: `${full}ü` } }), 422, 'TOO_LARGE');
    await expectError(await perch.post(raw(`${full}ü`, 'text/html')), 422, 'TOO_LARGE');
  });

  test('counts the content, not how JSON writes it', async () => {
    const content = `<p>${'\n"'.repeat((PAGE_LIMIT - 4) / 2)}x`;
    expect((await perch.publish({ json: { content } })).sizeBytes).toBe(PAGE_LIMIT);
    const escaped = `{"content":"${'\\u0041'.repeat(PAGE_LIMIT)}"}`;
    expect((await perch.publish(raw(escaped, 'application/json'))).sizeBytes).toBe(PAGE_LIMIT);
    const over = `{"content":"${'\\u0041'.repeat(PAGE_LIMIT + 1)}"}`;
    await expectError(await perch.post(raw(over, 'application/json')), 422, 'TOO_LARGE');
  });

  test('is the limit of an update, too, which then changes nothing', async () => {
    const page = await perch.publish('<p>small');
    const update = async (body: Body) =>
      await perch.api(page, { method: 'PUT', ...raw(body, 'text/html', ownedBy(page)) });
    await expectError(await update(pageOf(PAGE_LIMIT + 1)), 422, 'TOO_LARGE');
    await expectError(await update(chunked(pageOf(PAGE_LIMIT + 1))), 422, 'TOO_LARGE');
    expect(await (await perch.read(page)).text()).toEndWith('<p>small');
    expect((await update(pageOf(PAGE_LIMIT))).status).toBe(200);
    expect((await (await perch.read(page, { query: { raw: true } })).bytes()).length).toBe(PAGE_LIMIT);
  });

  test('may come several times at once', async () => {
    const pages = await atOnce(6, (n) => perch.publish(pageOf(PAGE_LIMIT, `page ${n}`)));
    for (const [n, page] of pages.entries())
      expect(await (await perch.read(page)).text()).toContain(`\n<p>page ${n} x`);
  });

  test('of markdown and of text is served whole', async () => {
    for (const type of ['text/markdown', 'text/plain']) {
      const content = 'word and *more* of it\n\n'.repeat(PAGE_LIMIT / 24).padEnd(PAGE_LIMIT, 'x');
      const page = await perch.publish(raw(content, type));
      const view = await perch.read(page);
      expect(view.status).toBe(200);
      const [, body = ''] = (await view.text()).split('<body>');
      expect(body.split('word and').length).toBe(content.split('word and').length);
      expect(await (await perch.read(page, { query: { raw: true } })).text()).toBe(content);
    }
  }, 180_000);
});

test('a body that declares far too much is refused without being read', async () => {
  const response = await perch.post(raw('x'.repeat(64 * 1_048_576), 'text/html'));
  await expectError(response, 422, 'TOO_LARGE');
  expect((await perch.publish('<p>still here')).id).not.toBe('');
});
