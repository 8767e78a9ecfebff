import { describe, expect, test } from 'bun:test';
import { type Address, jsonOf, ownedBy, type Published, type RequestOptions, raw } from './support/client.ts';
import { atOnce, fresh, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const at = ({ namespace, id }: Address): string => `/api/json/${namespace}/${id}`;
const publish = async (text: string, options: RequestOptions = {}): Promise<Published> =>
  jsonOf<Published>(
    await perch.request('/api/json', { method: 'POST', ...raw(text, 'application/json', options) }),
    201,
  );
const put = (document: Address, text: string, options: RequestOptions, client = perch.last) =>
  client.request(at(document), { method: 'PUT', ...raw(text, 'application/json', options) });
const read = (document: Address, client = perch.last) =>
  client.request(`/${document.namespace}/${document.id}`);

/** A list's entry of a document. */
async function listed({ namespace, id, ownerToken }: Published) {
  const headers = { 'X-Owner-Token': ownerToken };
  const list = await jsonOf<Array<Record<string, unknown>>>(
    await perch.last.request('/api/json', { query: { ns: namespace }, headers }),
  );
  return list.find((entry) => entry.id === id) ?? {};
}

describe('a new document', () => {
  test('is answered with all that there is to know of it', async () => {
    const query = { ns: 'documents', id: 'first', tags: 'One,two', ttl: '3 days', title: 'A document' };
    const document = await publish('{"a": 1}', { query });
    expect(document).toMatchObject({
      namespace: 'documents',
      id: 'first',
      title: 'A document',
      sizeBytes: 8,
      tags: ['one', 'two'],
      ttlDays: 3,
      hasPassword: false,
    });
    expect(document.link).toBe(document.url);
    expect(new URL(document.url).pathname).toBe('/documents/first');
    expect(new URL(document.ownerLink).pathname).toBe('/api/json/documents/first');
    expect(new URL(document.shortUrl).pathname).toMatch(/^\/s\/[A-Za-z0-9]{7}$/);
    expect(Date.parse(document.expiresAt) - Date.parse(document.createdAt)).toBe(3 * 86_400_000);
  });

  test('gets an id and a token that nobody else has', async () => {
    const documents = await atOnce(20, () => publish('{}'));
    for (const { id, ownerToken } of documents) {
      expect(id).toMatch(/^[A-Za-z0-9]{10}$/);
      expect(ownerToken).toMatch(/^own_[A-Za-z0-9_-]{43}$/);
    }
    for (const field of ['id', 'ownerToken', 'shortUrl'] as const)
      expect(new Set(documents.map((document) => document[field])).size).toBe(20);
  });

  test('equal to one of the same owner is another document', async () => {
    const first = await publish('{"same":true}');
    const second = await publish('{"same":true}', ownedBy(first));
    expect(second.id).not.toBe(first.id);
    expect(second.ownerToken).toBe(first.ownerToken);
  });
});

describe('an update', () => {
  for (const namespace of ['public', 'documents']) {
    test(`replaces the document under the same address (${namespace})`, async () => {
      const document = await publish('{"v":1}', { query: { ns: namespace } });
      expect(await (await read(document, perch)).text()).toBe('{"v":1}');
      const { updatedAt, ...updated } = await jsonOf(
        await put(document, '{"v":  "second"}', ownedBy(document)),
      );
      const { url, shortUrl, link, ownerLink, id, createdAt, expiresAt } = document;
      const ownPaths = (links: unknown[]) => links.map((text) => new URL(String(text)).pathname);
      expect(updated).toMatchObject({ namespace, id, createdAt, expiresAt, sizeBytes: 16 });
      expect(ownPaths([updated.url, updated.link, updated.ownerLink])).toEqual(
        ownPaths([url, link, ownerLink]),
      );
      expect(Date.parse(String(updatedAt))).toBeGreaterThanOrEqual(Date.parse(createdAt));
      for (const client of perch.clients)
        expect(await (await read(document, client)).text()).toBe('{"v":  "second"}');
      expect((await perch.request(new URL(shortUrl).pathname)).status).toBe(302);
    });
  }

  test('changes neither tags nor title nor password nor time to live', async () => {
    const query = { ns: fresh('kept'), tags: 'kept', title: 'Kept', ttl: 3 };
    const document = await publish('1', { query, headers: { 'X-Password': 'right' } });
    const answer = await put(document, '2', {
      query: { tags: 'new', title: 'New', ttl: 30, p: 'other', ns: 'elsewhere', id: 'elsewhere' },
      headers: { ...ownedBy(document).headers, 'X-Password': 'other' },
    });
    expect((await jsonOf(answer)).expiresAt).toBe(document.expiresAt);
    expect(await listed(document)).toMatchObject({
      tags: ['kept'],
      title: 'Kept',
      hasPassword: true,
      expiresAt: document.expiresAt,
      content: '2',
    });
    const open = await perch.request(`/${document.namespace}/${document.id}`, { query: { p: 'right' } });
    expect(await open.text()).toBe('2');
  });

  test('by several at once leaves one of them whole, the same on every gateway', async () => {
    const document = await publish('"old"');
    const texts = Array.from({ length: 20 }, (_, n) => JSON.stringify({ n, long: 'x'.repeat(n * 500) }));
    const [answers, seen] = await Promise.all([
      atOnce(20, (n) => put(document, texts[n] ?? '', ownedBy(document), n % 2 === 0 ? perch : perch.last)),
      atOnce(40, async (n) => (await read(document, n % 2 === 0 ? perch : perch.last)).text()),
    ]);
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 20 });
    for (const text of seen) expect(['"old"', ...texts]).toContain(text);
    const now = await Promise.all(perch.clients.map(async (client) => (await read(document, client)).text()));
    expect(texts).toContain(now[0] ?? '');
    expect(new Set(now).size).toBe(1);
  });
});

describe('a change is checked', () => {
  const invalid = '{"not": json';
  const changes: Array<
    [name: string, change: (item: Address, options: RequestOptions) => Promise<Response>]
  > = [
    ['PUT', (item, options) => put(item, invalid, options)],
    ['PUT that is too large', (item, options) => put(item, `"${'x'.repeat(1_048_576)}"`, options)],
    [
      'PUT with If-Match',
      (item, { headers, ...options }) =>
        put(item, invalid, { ...options, headers: { ...headers, 'If-Match': '"stale"' } }),
    ],
    ['DELETE', (item, options) => perch.request(at(item), { method: 'DELETE', ...options })],
  ];
  for (const [name, change] of changes) {
    test(`for the document, then for the owner, then for the rest: ${name}`, async () => {
      const [document, stranger] = [await publish('"kept"'), await publish('"other"')];
      for (const missing of [
        { namespace: 'public', id: 'never-was' },
        { namespace: 'never-was', id: document.id },
        { namespace: 'NOT-A-NAMESPACE', id: document.id },
        { namespace: 'public', id: '-not-an-id' },
      ])
        for (const options of [{}, ownedBy(document)])
          await expectError(await change(missing, options), 404, 'NOT_FOUND');
      await expectError(await change(document, {}), 403, 'OWNER_TOKEN_REQUIRED');
      await expectError(await change(document, { query: { token: '' } }), 403, 'OWNER_TOKEN_REQUIRED');
      await expectError(await change(document, ownedBy(stranger)), 403, 'OWNER_TOKEN_WRONG');
      await expectError(await change(document, { query: { token: 'x' } }), 403, 'OWNER_TOKEN_WRONG');
      expect(await (await read(document)).text()).toBe('"kept"');
    });
  }

  test('with the token in the query as in the header', async () => {
    const document = await publish('1');
    const query = { token: document.ownerToken };
    expect((await put(document, '2', { query })).status).toBe(200);
    expect(await (await read(document)).text()).toBe('2');
    expect((await perch.request(at(document), { method: 'DELETE', query })).status).toBe(204);
  });

  test('with the token, not with the password', async () => {
    const document = await publish('1', { headers: { 'X-Password': 'right' } });
    await expectError(await put(document, '2', { query: { p: 'right' } }), 403, 'OWNER_TOKEN_REQUIRED');
    expect((await put(document, '2', ownedBy(document))).status).toBe(200);
  });

  test('and while it is deleted by another never brings the document back', async () => {
    for (let round = 0; round < 5; round++) {
      const document = await publish('1');
      const [removal, ...updates] = await Promise.all([
        perch.request(at(document), { method: 'DELETE', ...ownedBy(document) }),
        ...[2, 3, 4].map((n) => put(document, String(n), ownedBy(document))),
      ]);
      expect(removal.status).toBe(204);
      for (const { status } of updates) expect([200, 404]).toContain(status);
      for (const client of perch.clients)
        await expectError(await client.request(at(document)), 404, 'NOT_FOUND');
      await expectError(await read(document), 410, 'GONE');
    }
  });
});
