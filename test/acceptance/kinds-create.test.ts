import { describe, expect, test } from 'bun:test';
import { codePath, jsonOf, ownedBy, type Published, type RequestOptions } from './support/client.ts';
import { atOnce, fresh, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { createOf, itemPath, KINDS, publishKind, readContent } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const FIELDS = [
  ...['namespace', 'id', 'url', 'shortUrl', 'ownerToken', 'link', 'ownerLink', 'title', 'sizeBytes', 'tags'],
  ...['ttlDays', 'hasPassword', 'createdAt', 'expiresAt'],
];

describe.each(KINDS)('a create of kind $name', (kind) => {
  test('answers with every field that all kinds have, and links that lead to the item', async () => {
    const response = await createOf(perch, kind, 'Grüße');
    const location = response.headers.get('Location') ?? '';
    const created = await jsonOf<Published>(response, 201);
    expect(Object.keys(created)).toEqual(expect.arrayContaining(FIELDS));
    const { namespace, id } = created;
    expect(created).toMatchObject({ namespace: 'public', tags: [], ttlDays: 15, hasPassword: false });
    expect(location).toBe(created.url);
    expect(new URL(created.url).pathname).toBe(`/public/${id}`);
    expect(new URL(created.ownerLink).pathname).toBe(itemPath(kind, { namespace, id }));
    expect(id).toMatch(/^[A-Za-z0-9]{10}$/);
    expect(created.ownerToken).toMatch(/^own_[\w-]{43}$/);
    expect(Date.parse(created.expiresAt) - Date.parse(created.createdAt)).toBe(15 * 86_400_000);
    for (const client of perch.clients) {
      const target = (await client.request(codePath(created))).headers.get('Location') ?? '';
      expect(new URL(target, client.url).pathname).toBe(`/public/${id}`);
      expect(await (await readContent(client, kind, created)).text()).toEndWith(kind.bytesOf('Grüße'));
      expect((await client.request(new URL(created.link).pathname)).status).toBe(200);
    }
  });

  test('answers who prefers text with the address alone, and the token in a header', async () => {
    const response = await createOf(perch, kind, 'plain', {
      headers: { Accept: 'text/plain, application/json;q=0.5' },
      query: { ns: 'plain-answers', id: `${kind.name}-1` },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
    const item = { namespace: 'plain-answers', id: `${kind.name}-1` };
    expect(new URL(response.headers.get('Location') ?? '').pathname).toBe(`/plain-answers/${item.id}`);
    const text = await response.text();
    expect(text).toBe(`${response.headers.get('Location')}\n`);
    const headers = { 'X-Owner-Token': response.headers.get('X-Owner-Token') ?? '' };
    expect((await perch.request(itemPath(kind, item), { method: 'DELETE', headers })).status).toBe(204);
  });

  test('needs a User-Agent', async () => {
    const headers = { 'User-Agent': '' };
    await expectError(await createOf(perch, kind, 'x', { headers }), 400, 'USER_AGENT_REQUIRED');
  });

  test('takes a token that others of its owner have, and refuses one that is too short', async () => {
    const token = 'x'.repeat(16);
    for (const options of [{ headers: { 'X-Owner-Token': token } }, { query: { token } }])
      expect((await publishKind(perch, kind, 'x', options)).ownerToken).toBe(token);
    for (const options of [{ headers: { 'X-Owner-Token': 'x'.repeat(15) } }, { query: { token: 'short' } }])
      await expectError(await createOf(perch, kind, 'x', options), 400, 'OWNER_TOKEN_INVALID');
  });
});

describe.each(KINDS)('an Idempotency-Key on a create of kind $name', (kind) => {
  const keyed = (key: string, options: RequestOptions = {}): RequestOptions => ({
    ...options,
    headers: { ...options.headers, 'Idempotency-Key': key },
  });

  test('finds what it made, with its token', async () => {
    for (const query of [{}, { ns: 'keyed' }, { ns: 'keyed', p: 'secret' }, { id: fresh('keyed') }]) {
      const key = crypto.randomUUID();
      const first = await publishKind(perch, kind, 'same', keyed(key, { query }));
      const again = await publishKind(perch.last, kind, 'same', keyed(key, { query }));
      for (const field of ['namespace', 'id', 'ownerToken', 'createdAt', 'expiresAt'] as const)
        expect(again[field]).toBe(first[field]);
      const removal = { method: 'DELETE', ...ownedBy(again) };
      expect((await perch.request(itemPath(kind, again), removal)).status).toBe(204);
    }
  });

  test('makes one item of twelve creates at once', async () => {
    const key = crypto.randomUUID();
    const answers = await atOnce(12, (n) =>
      createOf(n % 2 === 0 ? perch : perch.last, kind, 'twelve', keyed(key)),
    );
    expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 12 });
    const items = await Promise.all(answers.map((answer) => jsonOf<Published>(answer, 201)));
    expect(new Set(items.map(({ id, ownerToken }) => `${id} ${ownerToken}`)).size).toBe(1);
    const [first] = items;
    if (first !== undefined)
      expect(await (await readContent(perch, kind, first)).text()).toEndWith(kind.bytesOf('twelve'));
  });

  test('refuses another request, of this kind or of another', async () => {
    const key = crypto.randomUUID();
    await publishKind(perch, kind, 'one', keyed(key));
    const others = [
      await createOf(perch, kind, 'two', keyed(key)),
      await createOf(perch.last, kind, 'one', keyed(key, { query: { ns: 'keyed-other' } })),
      await createOf(perch.last, kind, 'one', keyed(key, { query: { id: fresh('other') } })),
      await createOf(perch.last, kind, 'one', keyed(key, { query: { ttl: 3 } })),
      await createOf(perch.last, kind, 'one', keyed(key, { query: { tags: 'other' } })),
      await createOf(perch.last, kind, 'one', keyed(key, { query: { title: 'Other' } })),
      // A request for a protected item must not be answered with the open one.
      await createOf(perch.last, kind, 'one', keyed(key, { query: { p: 'secret' } })),
    ];
    for (const other of KINDS.filter(({ name }) => name !== kind.name))
      others.push(await createOf(perch, other, 'one', keyed(key)));
    for (const answer of others) await expectError(answer, 400, 'VALIDATION_FAILED', 'Idempotency-Key');
  });

  test('has 16 to 255 characters', async () => {
    for (const length of [16, 255]) await publishKind(perch, kind, 'x', keyed(kind.name.padEnd(length, '!')));
    for (const key of ['k'.repeat(15), 'k'.repeat(256), 'with spaces in the key']) {
      const answer = await createOf(perch, kind, 'x', keyed(key));
      await expectError(answer, 400, 'VALIDATION_FAILED', 'Idempotency-Key');
    }
  });
});
