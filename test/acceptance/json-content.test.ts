import { describe, expect, test } from 'bun:test';
import { type Body, jsonOf, ownedBy, type Published, type RequestOptions, raw } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const create = (body: Body, options: RequestOptions = {}) =>
  perch.request('/api/json', { method: 'POST', ...raw(body, 'application/json', options) });
const publish = async (body: Body, options: RequestOptions = {}): Promise<Published> =>
  jsonOf<Published>(await create(body, options), 201);

/** Expects this content at both addresses of a document. */
async function expectContent({ namespace, id }: Published, content: string): Promise<void> {
  for (const client of perch.clients) {
    for (const path of [`/${namespace}/${id}`, `/api/json/${namespace}/${id}`]) {
      const response = await client.request(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Type')).toStartWith('application/json');
      expect(Buffer.from(await response.arrayBuffer()).toString('utf8')).toBe(content);
    }
  }
}

describe('a document comes back byte for byte', () => {
  const documents: Array<[name: string, text: string]> = [
    ['with its white space', ' \r\n\t{ "a" : [ 1 ,\n 2 ] }\r\n\n '],
    ['with its order of keys', '{"z":1,"10":2,"a":3,"2":4}'],
    ['with keys given twice', '{"a":1,"a":2,"a":{"b":3,"b":4}}'],
    ['with its numbers', '[1.0,1E400,-0,1e-7,0.1000,123456789012345678901234567890,5e-324,1E+2]'],
    ['with its escapes', '"\\u0041\\/\\ud83d\\udc26\\u0000\\b\\f\\n\\r\\t\\"\\\\"'],
    ['with half a surrogate pair in escapes', '"\\ud800"'],
    ['with characters of all planes', '{"ключ":"日本語 🐦 e\u0301 \u2028\u2029\u007f\ufffd"}'],
    ['with a byte order mark inside of a text', '"\ufeff"'],
    ['with names that mean something to JavaScript', '{"__proto__":{"x":1},"constructor":1,"toString":null}'],
    ['with markup', '"</script><script>alert(1)</script>"'],
    ...['null', 'true', 'false', '0', '-1', '""', '[]', '{}'].map((text): [string, string] => [text, text]),
  ];
  for (const [name, text] of documents) {
    test(name, async () => {
      const document = await publish(text);
      expect(document.sizeBytes).toBe(Buffer.byteLength(text));
      await expectContent(document, text);
      const replaced = await publish('"first"');
      const put = await perch.last.request(`/api/json/public/${replaced.id}`, {
        method: 'PUT',
        ...raw(text, 'application/json', ownedBy(replaced)),
      });
      expect((await jsonOf(put)).sizeBytes).toBe(Buffer.byteLength(text));
      await expectContent(replaced, text);
    });
  }

  const types = [
    ...['application/json', 'application/json; charset=utf-8', 'application/ld+json', 'text/plain'],
    ...['text/html', 'application/octet-stream', 'application/x-www-form-urlencoded', 'multipart/form-data'],
    'not a type',
  ];
  for (const type of types) {
    test(`sent as ${type}`, async () => {
      const text = `{"sent":"as ${type}"}`;
      const response = await perch.request('/api/json', { method: 'POST', ...raw(text, type) });
      await expectContent(await jsonOf<Published>(response, 201), text);
    });
  }

  test('sent without a type, and in pieces', async () => {
    const text = '{"a": "in pieces 🐦"}';
    const bytes = new TextEncoder().encode(text);
    const untyped = await perch.request('/api/json', { method: 'POST', body: bytes });
    await expectContent(await jsonOf<Published>(untyped, 201), text);
    const pieces = new ReadableStream<Uint8Array>({
      async start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        await Bun.sleep(1);
        controller.close();
      },
    });
    await expectContent(await publish(pieces), text);
  });

  test('though its fields look like parameters', async () => {
    const text =
      '{"document":{"a":1},"ns":"elsewhere","id":"chosen","ttl":3,"tags":["x"],"password":"x","title":"x"}';
    const document = await publish(text);
    expect(document).toMatchObject({ namespace: 'public', ttlDays: 15, tags: [], hasPassword: false });
    expect(document.id).not.toBe('chosen');
    await expectContent(document, text);
    await expectContent(await publish('{ "document": [] }'), '{ "document": [] }');
  });
});

describe('a body that is no JSON text', () => {
  const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
  const refused: Array<[name: string, body: Body]> = [
    ['is empty', ''],
    ['is blank', ' \n'],
    ['begins with a byte order mark', '\ufeff{}'],
    ['is UTF-16', bytes('5b00 5d00')],
    ['is UTF-16 with a byte order mark', bytes('fffe 5b00 5d00')],
    ['is Latin-1', bytes('22 e4 f6 22')],
    ['has an overlong character', bytes('22 c0af 22')],
    ['has a surrogate in UTF-8', bytes('22 eda080 22')],
    ['has a character above U+10FFFF', bytes('22 f4908080 22')],
    ['is cut off within a character', bytes('22 e282')],
    ['has a NUL', '{}\u0000'],
    ...['{}x', '{} {}', '{},', '[1]]', 'null null', '1 2', '"a" "b"'].map((text): [string, string] => [
      `goes on: ${text}`,
      text,
    ]),
    ...['NaN', '-Infinity', 'Infinity', 'undefined', 'True', 'nul', 'hello', "'a'", '{a:1}', "{'a':1}"].map(
      (text): [string, string] => [`is JavaScript: ${text}`, text],
    ),
    ...['[1,]', '{"a":1,}', '[,1]', '[1 2]', '{"a"}', '{"a" 1}', '{1:2}', '[', '{"a":1', '"abc', ']'].map(
      (text): [string, string] => [`has wrong punctuation: ${text}`, text],
    ),
    ...['01', '+1', '.5', '1.', '1e', '--1', '0x10', '1_000'].map((text): [string, string] => [
      `has a wrong number: ${text}`,
      text,
    ]),
    ...['"\\x41"', '"\\u12"', '"\\u{41}"', '"\\', '"a\nb"', '"a\tb"', '"\u0000"'].map(
      (text): [string, string] => [`has a wrong text: ${JSON.stringify(text)}`, text],
    ),
    ...['// c\n{}', '/* c */ {}', '# c\n{}', '\u00a0{}', '\u000b{}', '\u2028{}'].map(
      (text): [string, string] => [`has what is not white space: ${JSON.stringify(text)}`, text],
    ),
  ];

  test.each(refused)('%s', async (_name, body) => {
    await expectError(await create(body), 400, 'JSON_INVALID');
  });

  test('leaves the document as it was', async () => {
    const document = await publish('["kept"]');
    for (const [, body] of refused) {
      const options = raw(body, 'application/json', ownedBy(document));
      const put = await perch.request(`/api/json/public/${document.id}`, { method: 'PUT', ...options });
      await expectError(put, 400, 'JSON_INVALID');
    }
    await expectContent(document, '["kept"]');
  });
});
