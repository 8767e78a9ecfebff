import { expect, test } from 'bun:test';
import { jsonOf, type Published, type RequestOptions } from './support/client.ts';
import { atOnce, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { publishStore, putKey, removeKey, resolveKey, setKey } from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

/** A store in a list (specification 5.6). */
interface StoreSummary extends Published {
  keyCount: number;
  updatedAt: string;
  views: number;
}

const owner = { headers: { 'X-Owner-Token': 'the owner of all these stores' } };
const list = (query: NonNullable<RequestOptions['query']>, options: RequestOptions = owner) =>
  perch.request('/api/kv', { ...options, query });
const listed = async (ns: string) => await jsonOf<StoreSummary[]>(await list({ ns }));

test('a list shows all there is to know of a store', async () => {
  const ns = fresh('kv-listed');
  const query = { ns, tags: 'x,y', title: 'T', ttl: 2, p: 'right' };
  const store = await publishStore(perch, { value: 'secret' }, { ...owner, query });
  const { namespace, id, url, shortUrl, createdAt, expiresAt } = store;
  const answer = await list({ ns });
  expect(answer.headers.get('X-Total-Count')).toBe('1');
  const [summary = {}, ...others] = await jsonOf<Array<Record<string, unknown>>>(answer);
  expect(others).toEqual([]);
  expect(summary).toMatchObject({
    namespace,
    id,
    url,
    shortUrl,
    link: url,
    title: 'T',
    keyCount: 1,
    tags: ['x', 'y'],
    hasPassword: true,
    ttlDays: 2,
    createdAt,
    updatedAt: createdAt,
    expiresAt,
    views: 0,
  });
  expect(JSON.stringify(summary)).not.toContain('secret');
  expect(Object.keys(summary)).not.toContain('ownerToken');
});

test('keyCount follows every change of a key, updatedAt every value', async () => {
  const ns = fresh('kv-listed');
  const store = await publishStore(perch, {}, { ...owner, query: { ns } });
  const summary = async (): Promise<StoreSummary> => {
    const [found] = await listed(ns);
    if (found === undefined) throw new Error('the store is not listed');
    return found;
  };
  await Bun.sleep(5);
  const { updatedAt } = await setKey(perch, store, 'k', 1);
  expect(await summary()).toMatchObject({ keyCount: 2, updatedAt });
  await Bun.sleep(5);
  const again = await setKey(perch, store, 'first', 2);
  expect(again.updatedAt > updatedAt).toBe(true);
  expect(await summary()).toMatchObject({ keyCount: 2, updatedAt: again.updatedAt });
  await removeKey(perch, store, 'k');
  expect(await summary()).toMatchObject({ keyCount: 1, updatedAt: again.updatedAt });
  await removeKey(perch, store, 'first');
  expect(await summary()).toMatchObject({ keyCount: 0 });
  await atOnce(30, (n) => putKey(n % 2 === 0 ? perch : perch.last, store, `k${n % 20}`, n));
  expect(await summary()).toMatchObject({ keyCount: 20, createdAt: store.createdAt });
});

test('views are those of all its keys together', async () => {
  const ns = fresh('kv-listed');
  const store = await publishStore(perch, {}, { ...owner, query: { ns } });
  await setKey(perch, store, 'k', 1);
  for (const key of ['first', 'k', 'k']) await resolveKey(perch, store, key);
  await perch.read(store);
  expect(await listed(ns)).toMatchObject([{ views: 4 }]);
});

test('the namespace is public unless it is said, and must be one', async () => {
  const token = { headers: { 'X-Owner-Token': fresh('an owner with one public store') } };
  const { id } = await publishStore(perch, {}, token);
  expect(await jsonOf<StoreSummary[]>(await list({}, token))).toMatchObject([{ id, namespace: 'public' }]);
  await expectError(await list({ ns: 'No' }), 400, 'NAMESPACE_INVALID', 'ns');
});

test('a store shows the count of its many keys', async () => {
  const ns = fresh('kv-listed');
  const store = await publishStore(perch, {}, { ...owner, query: { ns } });
  for (let batch = 0; batch < 6; batch++)
    await atOnce(50, (n) => putKey(perch, store, `k-${batch}-${n}`, 'x'.repeat(n)));
  expect(await listed(ns)).toMatchObject([{ keyCount: 301 }]);
});
