import { describe, expect, test } from 'bun:test';
import { countBlobs, withDatabase } from '../faults/blob-audit.ts';
import { ownedBy, type Published, raw } from './support/client.ts';
import { atOnce, eventually } from './support/concurrency.ts';
import { usePerch } from './support/perch.ts';
import { openConnection, rawRequest } from './support/socket.ts';

const perch = usePerch({ env: { BLOB_GRACE_SECONDS: '8', SWEEP_INTERVAL_SECONDS: '1' } });

const uploadHead = (method: string, path: string, headers: string[]): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: perch',
    'User-Agent: PerchAcceptance/1.0',
    'Content-Type: text/html',
    ...headers,
    '',
    '',
  ].join('\r\n');

/** Sends the beginning of a body and breaks the connection. */
async function breakOff(url: string, head: string, begun: string): Promise<void> {
  const connection = await openConnection(url);
  await connection.send(head + begun);
  await Bun.sleep(30);
  connection.destroy();
}

/** Once nothing but these pages' blobs is left in the store. */
async function storeHoldsOnly(pages: number): Promise<void> {
  await eventually(async () => (await countBlobs(perch.instance)) === pages);
}

describe('a client that disconnects', () => {
  test('in the middle of a create leaves nothing behind', async () => {
    const before = await countBlobs(perch.instance);
    const half = 'x'.repeat(300_000);
    const heads = [['Content-Length: 600000'], ['Content-Length: 5242880'], ['Transfer-Encoding: chunked']];
    await atOnce(12, async (n) => {
      const headers = heads[n % heads.length] ?? [];
      const begun = headers.includes('Transfer-Encoding: chunked')
        ? `${half.length.toString(16)}\r\n${half}\r\n`
        : half;
      await breakOff(perch.url, uploadHead('POST', `/api/html?ns=broken&id=page-${n}`, headers), begun);
    });
    for (let n = 0; n < 12; n++) {
      const view = await perch.read({ namespace: 'broken', id: `page-${n}` });
      expect(view.status).toBe(404);
    }
    const page = await perch.publish('<p>still here', { query: { ns: 'broken', id: 'page-0' } });
    expect(await (await perch.read(page)).text()).toEndWith('<p>still here');
    await storeHoldsOnly(before + 1);
  });

  test('in the middle of an update changes nothing', async () => {
    const before = await countBlobs(perch.instance);
    const page = await perch.publish('<p>whole', { query: { ns: 'broken' } });
    const head = uploadHead('PUT', `/api/html/broken/${page.id}`, [
      'Content-Length: 600000',
      `X-Owner-Token: ${page.ownerToken}`,
    ]);
    await atOnce(6, () => breakOff(perch.url, head, 'x'.repeat(300_000)));
    expect(await (await perch.read(page)).text()).toEndWith('<p>whole');
    await storeHoldsOnly(before + 1);
    expect(await (await perch.read(page)).text()).toEndWith('<p>whole');
  });

  test('before it gets its answer leaves a whole page or none', async () => {
    const before = await countBlobs(perch.instance);
    const body = 'y'.repeat(200_000);
    await atOnce(12, async (n) => {
      const connection = await openConnection(perch.url);
      await connection.send(
        uploadHead('POST', `/api/html?ns=unheard&id=page-${n}`, [`Content-Length: ${body.length}`]) + body,
      );
      await Bun.sleep(n * 2);
      connection.destroy();
    });
    let pages = 0;
    await eventually(async () => {
      const texts = await atOnce(12, async (n) => {
        const view = await perch.read({ namespace: 'unheard', id: `page-${n}` });
        return view.status === 200 ? await view.text() : null;
      });
      const whole = texts.filter((text) => text !== null);
      for (const text of whole) expect(text.length).toBe(body.length);
      pages = whole.length;
      return (await countBlobs(perch.instance)) === before + pages;
    });
  });
});

/** How many blobs the items of a namespace hold, or all items; the store may hold more, which are soon deleted. */
async function countHeldBlobs(namespace: string | null = null): Promise<number> {
  const [held] = await withDatabase(
    perch.instance,
    (sql) => sql<Array<{ count: number }>>`
      select count(content ->> 'blobKey')::int + count(content ->> 'viewKey')::int as count
      from items where namespace = ${namespace} or ${namespace}::text is null`,
  );
  return held?.count ?? 0;
}

test('replaced, removed and refused content is deleted from the store', async () => {
  const query = { ns: 'cleaned' };
  const html = await perch.publish('<p>one', { query });
  const markdown = await perch.publish(raw('# one', 'text/markdown', { query }));
  const put = (page: Published, content: string) =>
    perch.api(page, { method: 'PUT', ...raw(content, 'text/html', ownedBy(page)) });
  for (const content of ['two', 'three', 'four']) {
    expect((await put(html, content)).status).toBe(200);
    expect((await put(markdown, content)).status).toBe(200);
  }
  expect((await perch.post(raw('<p>taken', 'text/html', { query: { ...query, id: html.id } }))).status).toBe(
    409,
  );
  const removed = await perch.publish('<p>removed', { query });
  expect((await perch.api(removed, { method: 'DELETE', ...ownedBy(removed) })).status).toBe(204);
  // Markdown is stored with its rendered view beside it.
  expect(await countHeldBlobs('cleaned')).toBe(3);
  // Pages of the test before may come yet, as nobody waited for their answers.
  await eventually(async () => (await countBlobs(perch.instance)) === (await countHeldBlobs()));
  expect(await (await perch.read(html)).text()).toBe('four');
  expect(await (await perch.read(markdown, { query: { raw: true } })).text()).toBe('four');
});

test('nonsense on the connection is refused, and nobody else notices', async () => {
  for (const line of ['GET', 'NONSENSE / x y z', '\u0000\u0001\u0002', 'GET /public/a HTTP/9.9\r\nX:'])
    await rawRequest(perch.url, line).catch(() => undefined);
  expect((await perch.request('/healthz')).status).toBe(200);
});

describe('a client whose connection is to close after the answer', () => {
  const SENT = 6_291_456;

  test.each([
    ['a page that is too large', 'POST', '/api/html', [], 422],
    ['a query that is wrong', 'POST', '/api/html?ttl=never', [], 400],
    ['a site that is not there', 'PUT', '/api/sites/public/aaaaaaaaaa', ['X-Owner-Token: none'], 404],
    ['an address that takes none', 'POST', '/api/nothing', [], 404],
    [
      'a document of unknown length that is too large',
      'POST',
      '/api/json',
      ['Transfer-Encoding: chunked'],
      400,
    ],
  ])('gets the answer to %s while it is still sending', async (_, method, path, headers, status) => {
    const isChunked = headers.includes('Transfer-Encoding: chunked');
    const length = isChunked ? [] : [`Content-Length: ${SENT}`];
    const piece = 'x'.repeat(SENT / 12);
    const connection = await openConnection(perch.url);
    await connection.send(uploadHead(method, path, [...headers, ...length, 'Connection: close']));
    for (let n = 0; n < 12; n++) {
      await connection.send(isChunked ? `${piece.length.toString(16)}\r\n${piece}\r\n` : piece);
      // The answer is on its way by now.
      await Bun.sleep(30);
    }
    if (isChunked) await connection.send('0\r\n\r\n');
    expect((await connection.response()).status).toBe(status);
  });
});
