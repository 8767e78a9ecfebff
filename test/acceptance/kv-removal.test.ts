import { describe, expect, test } from 'bun:test';
import { ownedBy } from './support/client.ts';
import { atOnce, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import {
  getKey,
  keyPath,
  listKeys,
  type PublishedStore,
  publishStore,
  putKey,
  resolveKey,
  setKey,
  storePath,
} from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const removeStore = (store: PublishedStore, client = perch.last) =>
  client.request(storePath(store), { method: 'DELETE', ...ownedBy(store) });

describe('DELETE of the store', () => {
  test('takes all its keys along, and a store after it has none of them', async () => {
    for (const [ns, status, code] of [
      ['public', 410, 'GONE'],
      ['kv-removed', 404, 'NOT_FOUND'],
    ] as const) {
      const query = { ns, id: fresh('removed') };
      const store = await publishStore(perch, { value: 'old' }, { query });
      for (const size of [10, 70_000]) await setKey(perch, store, `key-${size}`, 'x'.repeat(size));
      for (const client of perch.clients) await resolveKey(client, store, 'first');
      expect((await removeStore(store)).status).toBe(204);
      const keys = ['first', 'key-10', 'key-70000'];
      for (const client of perch.clients)
        for (const key of keys) {
          await expectError(await client.request(keyPath(store, key)), 404, 'NOT_FOUND');
          await expectError(await resolveKey(client, store, key), status, code);
        }
      const next = await publishStore(perch, { key: 'other', value: 'new' }, { query });
      for (const client of perch.clients) {
        for (const key of keys) await expectError(await resolveKey(client, next, key), 404, 'NOT_FOUND');
        expect((await listKeys(client, next)).keys).toEqual(['other']);
      }
    }
  });

  test('while others write ends all writing', async () => {
    const store = await publishStore(perch);
    const writes = atOnce(40, (n) => putKey(n % 2 === 0 ? perch : perch.last, store, `k${n % 8}`, n));
    expect((await removeStore(store)).status).toBe(204);
    for (const answer of await writes) if (answer.status !== 200) await expectError(answer, 404, 'NOT_FOUND');
    await expectError(await putKey(perch, store, 'k0', 1), 404, 'NOT_FOUND');
    for (const client of perch.clients)
      for (let n = 0; n < 8; n++)
        await expectError(await client.request(keyPath(store, `k${n}`)), 404, 'NOT_FOUND');
  });

  test('while others read it leaves neither a key nor a view to the next store', async () => {
    for (let round = 0; round < 20; round++) {
      const query = { id: `reused-${round}` };
      const store = await publishStore(perch, { value: 'x'.repeat(70_000) }, { query });
      const reads = atOnce(20, (n) =>
        resolveKey(n % 2 === 0 ? perch : perch.last, store, n % 4 < 2 ? 'first' : 'never-was'),
      );
      const removal = removeStore(store);
      for (const read of await reads)
        expect(Number(read.headers.get('X-Views') ?? 0)).toBeGreaterThanOrEqual(0);
      expect((await removal).status).toBe(204);
      const next = await publishStore(perch, { key: 'other' }, { query });
      for (const client of perch.clients) {
        expect((await getKey(client, next, 'other')).views).toBe(0);
        await expectError(await client.request(keyPath(next, 'first')), 404, 'NOT_FOUND');
      }
    }
  });
});
