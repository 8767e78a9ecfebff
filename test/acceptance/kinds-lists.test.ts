import { describe, expect, test } from 'bun:test';
import { jsonOf, ownedBy, type Published, type RequestOptions } from './support/client.ts';
import { atOnce, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, type KindUnderTest, publishKind, readContent } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

type Listed = Record<string, unknown> & { id: string };

const newOwner = (): RequestOptions => ({ headers: { 'X-Owner-Token': `own token ${crypto.randomUUID()}` } });

/** Reads a list, and its total from X-Total-Count. */
async function list(kind: KindUnderTest, options: RequestOptions, client = perch.last) {
  const response = await client.request(kind.path, options);
  expect(response.headers.get('Cache-Control')).toContain('no-store');
  const total = Number(response.headers.get('X-Total-Count') ?? Number.NaN);
  const items = await jsonOf<Listed[]>(response);
  return { items, ids: items.map(({ id }) => id), total };
}

describe.each(KINDS)('the list of kind $name', (kind) => {
  const publish = (owner: RequestOptions, query: RequestOptions['query'] = {}) =>
    publishKind(perch, kind, fresh('listed'), { ...owner, query });

  test('is empty without a token, with a blank one and for one that owns nothing', async () => {
    await publish({}, { ns: 'listing' });
    for (const options of [{}, { headers: { 'X-Owner-Token': '' } }, { query: { token: '' } }, newOwner()])
      for (const query of [{}, { ns: 'listing' }]) {
        const listed = await list(kind, { ...options, query: { ...options.query, ...query } });
        expect(listed).toEqual({ items: [], ids: [], total: 0 });
      }
  });

  test('shows what the token owns in the namespace, newest first, and nothing else', async () => {
    const [owner, other] = [newOwner(), newOwner()];
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      ids.unshift((await publish(owner, { ns: 'listing' })).id);
      await publish(other, { ns: 'listing' });
      await publish(owner, { ns: 'listing-elsewhere' });
      await Bun.sleep(2);
    }
    const inPublic = await publish(owner);
    for (const other of KINDS.filter(({ name }) => name !== kind.name))
      await publishKind(perch, other, 'x', { ...owner, query: { ns: 'listing' } });
    const token = owner.headers?.['X-Owner-Token'] ?? '';
    for (const client of perch.clients)
      for (const query of [{ ns: 'listing' }, { namespace: 'listing' }])
        for (const options of [{ ...owner, query }, { query: { ...query, token } }])
          expect(await list(kind, options, client)).toMatchObject({ ids, total: 3 });
    for (const query of [{}, { ns: 'public' }])
      expect(await list(kind, { ...owner, query })).toMatchObject({ ids: [inPublic.id], total: 1 });
  });

  test('tells of each item what its create told, its views and when it changed', async () => {
    const owner = newOwner();
    const item = await publish(owner, { tags: 'a,b', title: 'Listed', ttl: 4, p: 'right' });
    for (let n = 0; n < 3; n++) await readContent(perch, kind, item, owner);
    const { namespace, id, url, shortUrl, createdAt, expiresAt } = item;
    const { items } = await list(kind, owner, perch);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      namespace,
      id,
      url,
      shortUrl,
      link: url,
      tags: ['a', 'b'],
      hasPassword: true,
      createdAt,
      expiresAt,
      views: 3,
    });
    expect(JSON.stringify(items)).not.toContain(item.ownerToken);
    expect(JSON.stringify(items)).not.toMatch(/argon2|ownerHash|blobKey/);
  });

  test('loses what is removed at once', async () => {
    const owner = newOwner();
    const [first, second] = [await publish(owner), await publish(owner)];
    await perch.request(itemPath(kind, first), { method: 'DELETE', ...owner });
    for (const client of perch.clients)
      expect(await list(kind, owner, client)).toMatchObject({ ids: [second.id], total: 1 });
  });

  test('comes in pages, the same whole in the same order', async () => {
    const [owner, ns] = [newOwner(), fresh('pages')];
    const items: Published[] = await atOnce(11, () => publish(owner, { ns }));
    const whole = await list(kind, { ...owner, query: { ns } });
    expect(whole.total).toBe(11);
    expect(whole.ids.toSorted()).toEqual(items.map(({ id }) => id).toSorted());
    const page = (query: Record<string, number>) => list(kind, { ...owner, query: { ns, ...query } });
    for (const size of [1, 4, 10, 11, 12, 1000]) {
      const pages: string[] = [];
      for (let number = 1; number <= Math.ceil(11 / size); number++) {
        const part = await page({ page: number, size });
        expect([part.total, part.ids.length]).toEqual([11, Math.min(size, 11 - pages.length)]);
        pages.push(...part.ids);
      }
      expect(pages).toEqual(whole.ids);
      const beyond = await page({ page: Math.ceil(11 / size) + 1, size });
      expect(beyond).toMatchObject({ ids: [], total: 11 });
    }
    expect((await page({ size: 3 })).ids).toEqual(whole.ids.slice(0, 3));
    expect((await page({ page: 1 })).ids).toEqual(whole.ids);
    expect((await page({ page: 900_000 })).ids).toEqual([]);
  });

  test('refuses pages, sizes and namespaces that are none', async () => {
    const owner = newOwner();
    for (const value of ['0', '-1', '1.5', 'x', '1e2', '99999999999999999999'])
      for (const field of ['page', 'size'])
        for (const options of [owner, {}]) {
          const response = await perch.request(kind.path, { ...options, query: { [field]: value } });
          await expectError(response, 400, 'VALIDATION_FAILED', field);
        }
    await expectError(
      await perch.request(kind.path, { ...owner, query: { size: 1001 } }),
      ...([400, 'VALIDATION_FAILED', 'size'] as const),
    );
    for (const ns of ['ab', 'Abc', 'x'.repeat(33)])
      await expectError(
        await perch.request(kind.path, { ...owner, query: { ns } }),
        ...([400, 'NAMESPACE_INVALID', 'ns'] as const),
      );
  });

  test('shows every item that was created while others were', async () => {
    const [owner, ns] = [newOwner(), fresh('at-once')];
    const items = await atOnce(20, (n) =>
      publishKind(n % 2 === 0 ? perch : perch.last, kind, `${n}`, { ...owner, query: { ns } }),
    );
    const { ids, total } = await list(kind, { ...owner, query: { ns } });
    expect(total).toBe(20);
    expect(ids.toSorted()).toEqual(items.map(({ id }) => id).toSorted());
  });
});

test('one token owns items of all kinds in all namespaces', async () => {
  const [first] = KINDS;
  if (first === undefined) throw new Error('there are kinds');
  const owner = ownedBy(await publishKind(perch, first, 'first'));
  const items = await Promise.all(
    KINDS.flatMap((kind) =>
      ['public', 'grouped', 'grouped-too'].map(async (ns) => {
        const item = await publishKind(perch, kind, `${kind.name} ${ns}`, { ...owner, query: { ns } });
        expect(item.ownerToken).toBe(owner.headers['X-Owner-Token']);
        return { kind, item };
      }),
    ),
  );
  for (const { kind, item } of items) {
    const listed = await list(kind, { ...owner, query: { ns: item.namespace } });
    expect(listed.ids).toContain(item.id);
  }
  for (const { kind, item } of items) {
    const removal = { method: 'DELETE', ...owner };
    expect((await perch.last.request(itemPath(kind, item), removal)).status).toBe(204);
  }
  for (const kind of KINDS) expect((await list(kind, { ...owner, query: { ns: 'grouped' } })).total).toBe(0);
});

test('a list of more items than one message holds is whole and in order', async () => {
  const kind = KINDS.find(({ name }) => name === 'kv');
  if (kind === undefined) throw new Error('there are stores');
  const [owner, ns] = [newOwner(), fresh('long')];
  const batches: string[][] = [];
  for (let batch = 0; batch < 21; batch++) {
    const items = await atOnce(24, () => publishKind(perch, kind, 'x', { ...owner, query: { ns } }));
    batches.unshift(items.map(({ id }) => id));
  }
  const whole = await list(kind, { ...owner, query: { ns } });
  expect([whole.total, new Set(whole.ids).size]).toEqual([504, 504]);
  for (const [n, ids] of batches.entries())
    expect(whole.ids.slice(n * 24, (n + 1) * 24).toSorted()).toEqual(ids.toSorted());
  for (const [page, size] of [
    [1, 503],
    [2, 252],
    [1, 1000],
    [6, 100],
  ] as const) {
    const part = await list(kind, { ...owner, query: { ns, page, size } });
    expect(part.ids).toEqual(whole.ids.slice((page - 1) * size, page * size));
  }
});
