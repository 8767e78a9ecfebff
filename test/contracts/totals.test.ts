import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createStatsReader } from '../../services/analytics/operations/stats.ts';
import { sumTotals } from '../../services/analytics/repository/totals.ts';
import { foldTotals } from '../../services/analytics/sweep/totals-passes.ts';
import { expireItems } from '../../services/content/sweep/expire-items.ts';
import { KINDS } from '../../shared/items/item.ts';
import { removeItem } from '../../shared/items/remove-item.ts';
import { soon } from '../call-context.ts';
import { OWNER, putEntry, putInput, removeEntry, useKvOperations } from './kv-operations.ts';
import { clearTotals, foldAll, insertRow, totalsOf } from './totals.ts';

setDefaultTimeout(60_000);
const kv = useKvOperations();
const { deps, time } = kv;
const deltas = async (): Promise<number> => {
  const [found] = await deps.sql<Array<{ count: number }>>`select count(*) from item_deltas`;
  return found?.count ?? -1;
};

beforeEach(async () => {
  time.now = Date.now();
  await clearTotals(deps.sql);
});

describe('what is counted', () => {
  test('items of each kind, listed ones apart from others; the size of a store is not its bytes', async () => {
    for (const kind of KINDS) {
      await insertRow(deps.sql, { kind, sizeBytes: 10 });
      await insertRow(deps.sql, { kind, sizeBytes: 5, passwordHash: 'secret' });
      await insertRow(deps.sql, { kind, sizeBytes: 5, namespace: 'mine' });
    }
    const totals = await sumTotals(deps.sql, 0);
    for (const kind of KINDS) {
      const of = (listed: boolean) => totals.find((one) => one.kind === kind && one.public === listed);
      const bytes = kind === 'kv' ? 0 : 10;
      expect(of(true)).toMatchObject({ created: 1, createdToday: 1, deleted: 0, views: 0, bytes });
      expect(of(false)).toMatchObject({ created: 2, createdToday: 2, deleted: 0, views: 0, bytes });
    }
    expect(totals).toHaveLength(2 * KINDS.length);
  });

  test('removals and new sizes; the totals stay', async () => {
    const [first, second] = [await insertRow(deps.sql), await insertRow(deps.sql)];
    await deps.sql`update items set size_bytes = 250 where id = ${first.id}`;
    expect(await totalsOf(deps.sql, 'html')).toMatchObject({ created: 2, deleted: 0, bytes: 350 });
    await deps.sql`delete from items where id in (${first.id}, ${second.id})`;
    expect(await totalsOf(deps.sql, 'html')).toMatchObject({ created: 2, deleted: 2, bytes: 0 });
  });

  test('views, which stay when their item goes', async () => {
    const item = await insertRow(deps.sql);
    for (const views of [3, 7, 7]) await deps.sql`update items set views = ${views} where id = ${item.id}`;
    await deps.sql`delete from items where id = ${item.id}`;
    expect(await totalsOf(deps.sql, 'html')).toMatchObject({ views: 7, deleted: 1 });
  });

  test('expired items, when they are swept', async () => {
    await insertRow(deps.sql);
    const store = await kv.store();
    await putEntry(deps, putInput(store, 'more', 'x'.repeat(100)));
    time.now = store.expiresAt + 1;
    await deps.sql`update items set expires_at = ${time.now - 1}`;
    await expireItems(deps);
    expect(await totalsOf(deps.sql, 'html')).toMatchObject({ created: 1, deleted: 1, bytes: 0 });
    expect(await totalsOf(deps.sql, 'kv')).toMatchObject({ created: 1, deleted: 1, bytes: 0 });
  });

  test('the bytes of values: new, longer, shorter, removed, and gone with their store', async () => {
    const store = await kv.store();
    const bytes = async () => (await totalsOf(deps.sql, 'kv')).bytes;
    expect(await bytes()).toBe(3);
    await putEntry(deps, putInput(store, 'a', 'x'.repeat(1_000)));
    expect(await bytes()).toBe(1_003);
    await putEntry(deps, putInput(store, 'a', 'x'.repeat(10)));
    expect(await bytes()).toBe(13);
    await removeEntry(deps, { ...address(store), ownerHash: OWNER, key: 'first', ifMatch: null });
    expect(await bytes()).toBe(10);
    await removeItem(deps, { ...address(store), ownerHash: OWNER, kind: 'kv' }, soon());
    expect(await totalsOf(deps.sql, 'kv')).toMatchObject({ created: 1, deleted: 1, bytes: 0 });
  });

  test('values that go by the cascade, and many in one statement', async () => {
    const [one, two] = [await kv.store(), await kv.store()];
    const keys = Array.from({ length: 50 }, (_, index) => `k${index}`);
    for (const key of keys) await putEntry(deps, putInput(one, key, 'x'));
    await Promise.all(keys.map((key) => putEntry(deps, putInput(one, key, 'xxx'))));
    expect((await totalsOf(deps.sql, 'kv')).bytes).toBe(3 + 150 + 3);
    await deps.sql`delete from items where id in (${one.id}, ${two.id})`;
    expect(await totalsOf(deps.sql, 'kv')).toMatchObject({ deleted: 2, bytes: 0 });
  });

  test('views that were not saved when their item was removed', async () => {
    const store = await kv.store();
    await deps.cache.countViews(store, 12);
    await removeItem(deps, { ...address(store), ownerHash: OWNER, kind: 'kv' }, soon());
    expect(await totalsOf(deps.sql, 'kv')).toMatchObject({ views: 12, deleted: 1 });
  });

  test('nothing of a transaction that is rolled back', async () => {
    const failing = deps.sql.begin(async (tx) => {
      await insertRow(tx as unknown as typeof deps.sql);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await deltas()).toBe(0);
  });

  test('no row is put in by statements that change neither size nor views', async () => {
    const item = await insertRow(deps.sql);
    const store = await kv.store();
    await deps.sql`truncate item_deltas`;
    await deps.sql`update items set version = nextval('item_version'), updated_at = ${time.now}, title = 'new'`;
    await deps.sql`update items set size_bytes = size_bytes, views = views where id = ${item.id}`;
    await deps.sql`update items set views = 5, size_bytes = 5 where id = 'nothing'`;
    await deps.sql`delete from items where id = 'nothing'`;
    await putEntry(deps, putInput(store, 'first', 'two'));
    expect(await deltas()).toBe(0);
  });
});

describe('the fold', () => {
  test('moves deltas and changes no sum', async () => {
    const item = await insertRow(deps.sql);
    await insertRow(deps.sql, { kind: 'file', namespace: 'mine' });
    await deps.sql`update items set views = 9 where id = ${item.id}`;
    const sums = async () => (await sumTotals(deps.sql, 0)).sort((a, b) => a.kind.localeCompare(b.kind));
    const before = await sums();
    expect(await foldAll(deps)).toBe(3);
    expect(await deltas()).toBe(0);
    expect(await sums()).toEqual(before);
    await insertRow(deps.sql);
    expect(await foldAll(deps)).toBe(1);
    expect(await totalsOf(deps.sql, 'html')).toMatchObject({ created: 2, views: 9, bytes: 200 });
    expect(await foldTotals(deps)).toEqual({ done: 0, more: false });
  });

  for (const [count, first] of [
    [4_999, { done: 4_999, more: false }],
    [5_000, { done: 5_000, more: true }],
    [5_001, { done: 5_000, more: true }],
  ] as const) {
    test(`takes ${count} deltas in batches of 5000`, async () => {
      await deps.sql`
        insert into item_deltas (kind, public, created) select 'json', true, 1 from generate_series(1, ${count}::int)`;
      expect(await foldTotals(deps)).toEqual(first);
      await foldAll(deps);
      expect((await totalsOf(deps.sql, 'json')).created).toBe(count);
    });
  }

  test('counts each delta once when several processes fold while others write, and no reader sees less', async () => {
    const items = 60;
    let writing = true;
    const folders = [1, 2, 3].map(async () => {
      while (writing) await foldTotals(deps);
    });
    const reading = (async () => {
      let last = 0;
      while (writing) {
        const { created } = await totalsOf(deps.sql, 'html');
        expect(created).toBeGreaterThanOrEqual(last);
        last = created;
      }
    })();
    await Promise.all(Array.from({ length: items }, () => insertRow(deps.sql)));
    writing = false;
    await Promise.all([...folders, reading]);
    await foldAll(deps);
    expect(await totalsOf(deps.sql, 'html')).toMatchObject({ created: items, bytes: items * 100 });
  });

  test('puts quarters from days ago into one row a kind, and today is what began since its first moment', async () => {
    const quarter = 900_000;
    const todayFrom = Math.floor(time.now / quarter) * quarter;
    const hour = 3_600_000;
    const moments = [
      todayFrom,
      todayFrom - 1,
      todayFrom - 47 * hour,
      todayFrom - 49 * hour,
      todayFrom - 900 * hour,
    ];
    for (const at of moments) {
      await deps.sql`insert into item_deltas (at, kind, public, created) values (${at}, 'site', true, 1)`;
    }
    const expected = { created: 5, createdToday: 1 };
    expect(await totalsOf(deps.sql, 'site', todayFrom)).toMatchObject(expected);
    await foldAll(deps);
    expect(await totalsOf(deps.sql, 'site', todayFrom)).toMatchObject(expected);
    const rows = await deps.sql<Array<{ isOld: boolean; created: number }>>`
      select quarter_hour = '-infinity' as is_old, created from item_totals order by quarter_hour`;
    expect([...rows]).toEqual([
      { isOld: true, created: 2 },
      { isOld: false, created: 1 },
      { isOld: false, created: 1 },
      { isOld: false, created: 1 },
    ]);
    await deps.sql`insert into item_deltas (at, kind, public, created) values (${moments[4] ?? 0}, 'site', true, 4)`;
    await foldAll(deps);
    expect(await totalsOf(deps.sql, 'site', todayFrom)).toMatchObject({ created: 9, createdToday: 1 });
  });
});

test('who reads at once, or again within a second, gets the same numbers; who reads later gets new ones', async () => {
  const read = createStatsReader(deps);
  const first = await read({ todayFrom: 0 });
  await insertRow(deps.sql);
  expect(await read({ todayFrom: 0 })).toBe(first);
  const [one, two, other] = await Promise.all([1, 1, 2].map((todayFrom) => read({ todayFrom })));
  expect(two).toBe(one as typeof first);
  expect(other).not.toBe(one as typeof first);
  expect(one?.totals).toMatchObject([{ kind: 'html', public: true, created: 1 }]);
  let later = first;
  for (let attempt = 0; later === first && attempt < 200; attempt++) {
    await Bun.sleep(20);
    later = await read({ todayFrom: 0 });
  }
  expect(later.totals).toMatchObject([{ kind: 'html', public: true, created: 1 }]);
});

const address = ({ namespace, id }: { namespace: string; id: string }) => ({ namespace, id });
