import { describe, expect, test } from 'bun:test';
import { jsonOf, ownedBy, type Published, type RequestOptions, raw } from './support/client.ts';
import { fresh } from './support/concurrency.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

interface ListedDocument {
  id: string;
  content: string;
  size: number;
}

const owner = { headers: { 'X-Owner-Token': 'the owner of these documents' } };
const publish = async (text: string, query: RequestOptions['query'] = {}): Promise<Published> => {
  const options = raw(text, 'application/json', { ...owner, query });
  return jsonOf<Published>(await perch.request('/api/json', { method: 'POST', ...options }), 201);
};
const list = async (ns: string) =>
  jsonOf<ListedDocument[]>(await perch.last.request('/api/json', { ...owner, query: { ns } }));

/** How a list shows a document. */
async function listed(text: string): Promise<ListedDocument> {
  const ns = fresh('listed');
  const { id } = await publish(text, { ns });
  const documents = await list(ns);
  expect(documents.map((document) => document.id)).toEqual([id]);
  return documents[0] ?? { id, content: '', size: -1 };
}

test('a list shows all there is to know of a document', async () => {
  const ns = fresh('listed');
  const document = await publish('{"a": [1]}', { ns, tags: 'x,y', title: 'T', ttl: 2, p: 'right' });
  const { namespace, id, url, shortUrl, createdAt, expiresAt } = document;
  const [shown = {}, ...others] = await jsonOf<Array<Record<string, unknown>>>(
    await perch.request('/api/json', { ...owner, query: { ns } }),
  );
  expect(others).toEqual([]);
  expect(shown).toMatchObject({
    namespace,
    id,
    url,
    shortUrl,
    link: url,
    content: '{"a": [1]}',
    size: 10,
    tags: ['x', 'y'],
    hasPassword: true,
    createdAt,
    updatedAt: createdAt,
    expiresAt,
    views: 0,
  });
  expect(Object.keys(shown)).not.toContain('ownerToken');
});

describe('content in a list', () => {
  test('is the text as it was sent', async () => {
    for (const text of [' {"b":1.0,\n"a":"\\u0041"} ', 'null', '"🐦 日本語"', '{"a":1,"a":2}'])
      expect(await listed(text)).toMatchObject({ content: text, size: Buffer.byteLength(text) });
  });

  test('is cut at 1 KB, the size is not', async () => {
    for (const size of [1_023, 1_024]) {
      const text = `"${'x'.repeat(size - 2)}"`;
      expect(await listed(text)).toMatchObject({ content: text, size });
    }
    for (const size of [1_025, 1_048_576]) {
      const text = `"${'x'.repeat(size - 2)}"`;
      expect(await listed(text)).toMatchObject({ content: text.slice(0, 1_024), size });
    }
  });

  test('is never cut within a character', async () => {
    for (const character of ['é', '語', '🐦'])
      for (const start of ['"', '" ', '"  ', '"   ']) {
        const text = `${start}${character.repeat(2_000)}"`;
        const { content, size } = await listed(text);
        expect(size).toBe(Buffer.byteLength(text));
        expect(Buffer.byteLength(content)).toBeWithin(1_021, 1_025);
        expect(text.startsWith(content)).toBe(true);
        expect(content.isWellFormed()).toBe(true);
      }
  });

  test('follows updates', async () => {
    const ns = fresh('listed');
    const document = await publish('"old"', { ns });
    const put = await perch.request(`/api/json/${ns}/${document.id}`, {
      method: 'PUT',
      ...raw('"newer"', 'application/json', ownedBy(document)),
    });
    const { updatedAt } = await jsonOf<{ updatedAt: string }>(put);
    expect(await list(ns)).toMatchObject([{ id: document.id, content: '"newer"', size: 7, updatedAt }]);
  });
});
