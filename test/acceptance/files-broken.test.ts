import { describe, expect, test } from 'bun:test';
import { auditBlobs } from '../faults/blob-audit.ts';
import { raw } from './support/client.ts';
import { atOnce, eventually } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { filePart, postForm, publishFile } from './support/file-client.ts';
import { BOUNDARY, encodeForm, FORM_TYPE, form } from './support/multipart.ts';
import { usePerch } from './support/perch.ts';
import { openConnection } from './support/socket.ts';

const perch = usePerch({ env: { BLOB_GRACE_SECONDS: '8', SWEEP_INTERVAL_SECONDS: '1' } });

const post = (body: string | Uint8Array, type: string) =>
  perch.request('/api/files', { method: 'POST', ...raw(body, type) });

const whole = encodeForm([filePart('a.txt', 'content')]);
const text = new TextDecoder().decode(whole);

describe('a form', () => {
  const NOT_ONE = {
    'no file': [{ name: 'title', content: 'x' }],
    'nothing at all': [],
    'the file under another name': [{ ...filePart('a.txt', 'x'), name: 'upload' }],
    'two files': [filePart('a.txt', 'x'), filePart('b.txt', 'y')],
    'two files of one name': [filePart('a.txt', 'x'), filePart('a.txt', 'x')],
    'another file besides': [filePart('a.txt', 'x'), { ...filePart('b.txt', 'y'), name: 'other' }],
    'another file before': [{ ...filePart('b.txt', 'y'), name: 'other' }, filePart('a.txt', 'x')],
  };
  test.each(Object.keys(NOT_ONE) as Array<keyof typeof NOT_ONE>)('with %s is refused', async (name) => {
    await expectError(await postForm(perch, NOT_ONE[name]), 400, 'VALIDATION_FAILED');
  });

  const BROKEN: Record<string, string> = {
    'that is empty': '',
    'that is cut off in the headers of its part': text.slice(0, 100),
    'that is cut off in its content': text.slice(0, text.indexOf('content') + 3),
    'that is cut off before its last boundary': text.slice(0, text.lastIndexOf('\r\n--')),
    'that is cut off in its last boundary': text.slice(0, -6),
    'of another boundary': text.replaceAll(BOUNDARY, 'another'),
    'without a boundary in it': 'just text',
    'whose part has no headers': `--${BOUNDARY}\r\n\r\ncontent\r\n--${BOUNDARY}--\r\n`,
    'whose part has no name': text.replace(' name="file";', ''),
    'whose part is no form-data': text.replace('form-data', 'attachment'),
    'whose part is encoded': text.replace('\r\n\r\n', '\r\nContent-Transfer-Encoding: base64\r\n\r\n'),
  };
  test.each(Object.keys(BROKEN))('%s is refused', async (name) => {
    await expectError(await post(BROKEN[name] ?? '', FORM_TYPE), 400, 'VALIDATION_FAILED');
  });

  test('needs a boundary in its type', async () => {
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data;x=y'])
      await expectError(await post(whole, type), 400, 'VALIDATION_FAILED');
  });

  test('may have a boundary in quotes, other parameters, and text around it', async () => {
    for (const type of [
      `multipart/form-data; charset=utf-8; boundary="${BOUNDARY}"`,
      FORM_TYPE.toUpperCase().replace(BOUNDARY.toUpperCase(), BOUNDARY),
    ])
      expect((await post(whole, type)).status).toBe(201);
    expect((await post(`preamble\r\n${text}epilogue`, FORM_TYPE)).status).toBe(201);
  });

  test('is what an upload is: other types are refused', async () => {
    for (const type of [
      'application/json',
      'text/plain',
      'image/png',
      'application/x-www-form-urlencoded',
      'multipart/mixed; boundary=x',
      'x',
    ])
      await expectError(await post(whole, type), 415, 'UNSUPPORTED_MEDIA_TYPE');
    const untyped = await perch.request('/api/files', { method: 'POST', body: new Uint8Array(whole) });
    await expectError(untyped, 415, 'UNSUPPORTED_MEDIA_TYPE');
    const encoded = form([filePart('a.txt', 'x')], { headers: { 'Content-Encoding': 'br' } });
    const compressed = await perch.request('/api/files', { method: 'POST', ...encoded });
    await expectError(compressed, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  test('of endless fields is refused', async () => {
    const fields = Array.from({ length: 2_000 }, (_, n) => ({ name: `f${n}`, content: 'x' }));
    await expectError(await postForm(perch, [...fields, filePart('a.txt', 'x')]), 400, 'VALIDATION_FAILED');
    const long = { name: 'title', content: 'x'.repeat(2_000_000) };
    await expectError(await postForm(perch, [long, filePart('a.txt', 'x')]), 400, 'VALIDATION_FAILED');
  });
});

/** Once every blob of the store is an item's, and every item has its blobs. */
async function storeHoldsOnlyItems(): Promise<void> {
  await eventually(async () => {
    const { orphans, missing } = await auditBlobs(perch.instance);
    return orphans.length + missing.length === 0;
  });
}

// All wait for what was discarded to fall due: at once.
describe.concurrent('what leaves nothing behind', () => {
  const begin = (path: string, length: string): string =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: perch',
      'User-Agent: PerchAcceptance/1.0',
      `Content-Type: ${FORM_TYPE}`,
      length,
      '',
      '',
    ].join('\r\n');

  test('a client that goes away in the middle', async () => {
    const body = encodeForm([filePart('a.txt', 'x'.repeat(600_000))]);
    const half = body.subarray(0, 300_000);
    await atOnce(12, async (n) => {
      const connection = await openConnection(perch.url);
      const chunked = n % 2 === 0;
      const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
      await connection.send(begin(`/api/files?ns=broken-files&id=file-${n}`, length));
      if (chunked) await connection.send(`${half.length.toString(16)}\r\n`);
      await connection.send(half);
      await Bun.sleep(20 + n * 5);
      connection.destroy();
    });
    for (let n = 0; n < 12; n++)
      expect((await perch.read({ namespace: 'broken-files', id: `file-${n}` })).status).toBe(404);
    const query = { ns: 'broken-files', id: 'file-0' };
    const file = await publishFile(perch, 'a.txt', 'still here', { query });
    expect(await (await perch.read(file)).text()).toBe('still here');
    await storeHoldsOnlyItems();
  });

  test('a client that goes away before its answer leaves a whole file or none', async () => {
    const content = 'y'.repeat(200_000);
    const body = encodeForm([filePart('a.txt', content)]);
    await atOnce(12, async (n) => {
      const connection = await openConnection(perch.url);
      const head = begin(`/api/files?ns=unheard-files&id=file-${n}`, `Content-Length: ${body.length}`);
      await connection.send(head);
      await connection.send(body);
      await Bun.sleep(n * 2);
      connection.destroy();
    });
    await storeHoldsOnlyItems();
    for (let n = 0; n < 12; n++) {
      const response = await perch.read({ namespace: 'unheard-files', id: `file-${n}` });
      const read = await response.text();
      if (response.status === 200) expect(read).toBe(content);
      else expect(response.status).toBe(404);
    }
  });

  test('a refused upload', async () => {
    const taken = await publishFile(perch, 'a.txt', 'x');
    const refused = await atOnce(12, (n) => {
      const parts = [
        [filePart('a.txt', 'x'), filePart('b.txt', 'y')],
        [filePart('a.png', 'text')],
        [filePart('a.txt', 'x'), { name: 'ttl', content: '99' }],
        [filePart('a.txt', 'x'), { name: 'id', content: taken.id }],
      ];
      return postForm(perch, parts[n % parts.length] ?? []);
    });
    expect(refused.map(({ status }) => status)).toEqual(
      [...refused.keys()].map((n) => [400, 422, 400, 409][n % 4] ?? 0),
    );
    await storeHoldsOnlyItems();
  });
});
