import { describe, expect, test } from 'bun:test';
import { createChangeWriter } from '../../services/kv/change-writer.ts';
import type { KvDependencies } from '../../services/kv/dependencies.ts';
import { changeEntry } from '../../services/kv/operations/change-entry.ts';
import { readEntry } from '../../services/kv/operations/read-entries.ts';
import { forgetChanges } from '../../services/kv/sweep/forget.ts';
import { SHORT_VALUE_BYTES } from '../../services/kv/value-change.ts';
import type { CallContext } from '../../shared/call-context.ts';
import type { ValueChange } from '../../shared/contracts/kv.ts';
import { steadyNow } from '../../shared/deadline.ts';
import { CACHED_VALUE_BYTES, type Entry } from '../../shared/items/entry.ts';
import { BATCH, createBusyKeys } from '../../shared/items/group-commit.ts';
import { type ItemRef, LIMITS } from '../../shared/items/item.ts';
import { removeItem } from '../../shared/items/remove-item.ts';
import { PerchError } from '../../shared/perch-error.ts';
import { soon } from '../call-context.ts';
import { OWNER, putEntry, putInput, removeEntry, useKvOperations } from './kv-operations.ts';

const kv = useKvOperations();

type Input = Parameters<typeof changeEntry>[1];

const change = (
  store: ItemRef,
  key: string,
  what: ValueChange,
  more: Partial<Input> = {},
  deps: KvDependencies = kv.deps,
  context: CallContext = soon(),
) => {
  const { namespace, id } = store;
  const input = { namespace, id, ownerHash: OWNER, key, change: what, ifMatch: null, ifAbsent: false };
  return changeEntry(deps, { ...input, idempotency: null, ...more }, context);
};
/** Commits changes, and tells the cache of none. */
const writerThatDies = () => {
  const cache = { ...kv.deps.cache, putEntry: async () => true };
  return createChangeWriter({ ...kv.deps, cache }, createBusyKeys());
};
const cached = async (store: ItemRef, key: string) =>
  (await kv.deps.cache.visitEntry(store, key, false)).entry;
const add = (by: number): ValueChange => ({ kind: 'increment', by });
const append = (value: unknown): ValueChange => {
  const text = JSON.stringify(value);
  return {
    kind: 'append',
    value: text,
    sizeBytes: Buffer.byteLength(typeof value === 'string' ? value : text),
  };
};
const under = (key: string, fingerprint = 'a request') => ({ idempotency: { key, fingerprint } });

const put = (store: ItemRef, key: string, value: unknown) => {
  const text = JSON.stringify(value);
  const sizeBytes = Buffer.byteLength(typeof value === 'string' ? value : text);
  return putEntry(kv.deps, putInput(store, key, '', { value: text, sizeBytes }));
};

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'done';
  } catch (error) {
    return error instanceof PerchError ? error.code : String(error);
  }
};

const entryOf = async (store: ItemRef, key: string) => {
  const [row] = await kv.deps.sql<Entry[]>`
    select value, version, sequence, size_bytes from kv_entries
    where namespace = ${store.namespace} and id = ${store.id} and key = ${key}`;
  return row;
};

describe('increments', () => {
  test('of 50 writers at once are all counted, each with a number and a version of its own', async () => {
    const store = await kv.store();
    const done = await Promise.all(Array.from({ length: 50 }, (_, n) => change(store, 'n', add(n + 1))));
    const entry = await entryOf(store, 'n');
    expect(entry).toMatchObject({ value: '1275', version: 50, sizeBytes: 4 });
    expect(done.filter(({ created }) => created)).toHaveLength(1);
    expect(done.map(({ entry: { version } }) => version).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 1),
    );
    expect(new Set(done.map(({ entry: { sequence } }) => sequence)).size).toBe(50);
    const last = done.toSorted((a, b) => a.entry.version - b.entry.version);
    for (const [index, { value, entry: made }] of last.entries()) {
      expect(made.sizeBytes).toBe(String(value).length);
      if (index > 0) expect(made.sequence).toBeGreaterThan(last[index - 1]?.entry.sequence ?? 0);
    }
    expect(last.at(-1)).toMatchObject({ value: 1275, entry: { sequence: entry?.sequence } });
    expect((await kv.deps.cache.visitEntry(store, 'n', false)).entry).toMatchObject({
      sequence: entry?.sequence,
      entry: { value: '1275', version: 50 },
    });
  });

  test('that wait together take a handful of commits, not one each', async () => {
    const store = await kv.store();
    for (let n = 0; n < 20; n++) await put(store, `k${n}`, 0);
    const before = await commits();
    await Promise.all(Array.from({ length: 400 }, (_, n) => change(store, `k${n % 20}`, add(1))));
    expect((await commits()) - before).toBeLessThan(20);
    for (let n = 0; n < 20; n++) expect(await entryOf(store, `k${n}`)).toMatchObject({ value: '20' });
  });

  test('meet a row that somebody else holds, and wait for it', async () => {
    const store = await kv.store();
    await put(store, 'held', 1);
    await put(store, 'free', 1);
    const { sql } = kv.deps;
    let waiting: Array<Promise<unknown>> = [];
    await sql.begin(async (tx) => {
      await tx`select 1 from kv_entries where id = ${store.id} and key = 'held' for update`;
      waiting = Array.from({ length: 10 }, () => change(store, 'held', add(1)));
      expect(await change(store, 'free', add(1))).toMatchObject({ value: 2 });
      await tx`update kv_entries set value = '100' where id = ${store.id} and key = 'held'`;
    });
    await Promise.all(waiting);
    expect(await entryOf(store, 'held')).toMatchObject({ value: '110' });
  });

  test('that wait for a row are made together, whichever clients they are of', async () => {
    const store = await kv.store();
    await put(store, 'held', 0);
    const before = await commits();
    const done = await kv.deps.sql.begin(async (tx) => {
      await tx`select from kv_entries where namespace = ${store.namespace} and id = ${store.id} for update`;
      const all = Array.from({ length: 100 }, (_, n) =>
        change(store, 'held', add(1), {}, kv.deps, { ...soon(), client: `client ${n % 20}` }),
      );
      await Bun.sleep(100);
      return { all };
    });
    const versions = (await Promise.all(done.all)).map(({ entry }) => entry.version);
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n + 2));
    expect((await commits()) - before).toBeLessThan(10);
    expect(await entryOf(store, 'held')).toMatchObject({ value: '100' });
  });

  test('and values put at once keep to one order, and none of both is lost in its statement', async () => {
    const store = await kv.store();
    await put(store, 'mixed', 0);
    const works = Array.from({ length: 100 }, (_, n) =>
      n % 4 === 0 ? put(store, 'mixed', 1_000 * n) : change(store, 'mixed', add(1)),
    );
    await Promise.all(works);
    const entry = await entryOf(store, 'mixed');
    expect(entry?.version).toBe(101);
    expect((await kv.deps.cache.visitEntry(store, 'mixed', false)).entry?.sequence).toBe(entry?.sequence);
  });

  test.each([
    ['a text', 'x'],
    ['a list', [1]],
    ['an object', { n: 1 }],
    ['a boolean', true],
    ['null', null],
    ['a fraction', 1.5],
    ['a number beyond the exact ones', 2 ** 53],
  ])('of %s are refused, and change nothing', async (_, value) => {
    const store = await kv.store();
    await put(store, 'k', value);
    expect(await codeOf(change(store, 'k', add(1)))).toBe('VALUE_MISMATCH');
    expect(await entryOf(store, 'k')).toMatchObject({ value: JSON.stringify(value), version: 1 });
  });

  test('stay within the exact numbers; who would leave them is refused alone', async () => {
    const store = await kv.store();
    const most = Number.MAX_SAFE_INTEGER;
    await put(store, 'k', most - 1);
    const codes = await Promise.all(
      [add(1), add(1), add(-5), add(most), add(5)].map((what) => codeOf(change(store, 'k', what))),
    );
    expect(codes).toEqual(['done', 'VALUE_MISMATCH', 'done', 'VALUE_MISMATCH', 'done']);
    expect(await entryOf(store, 'k')).toMatchObject({ value: String(most), version: 4 });
    await change(store, 'low', add(-most));
    expect(await codeOf(change(store, 'low', add(-1)))).toBe('VALUE_MISMATCH');
  });

  test('take a whole number however it is written', async () => {
    const store = await kv.store();
    for (const value of ['7.0', '-0', '7', '1e3', '-1E+2', '1.50e1', '90071992547409.91e2']) {
      await putEntry(kv.deps, putInput(store, 'k', '', { value, sizeBytes: value.length }));
      expect(await change(store, 'k', add(0))).toMatchObject({ value: Number(value) + 0 });
    }
    for (const value of ['7.5', '1.55e1', '1e-1', '1e16', '90071992547409.92e2', '9007199254740991.4']) {
      await putEntry(kv.deps, putInput(store, 'k', '', { value, sizeBytes: value.length }));
      expect(await codeOf(change(store, 'k', add(0)))).toBe('VALUE_MISMATCH');
    }
  });

  test('take a number for a whole one only when it is short enough to be read, and leave a longer one as it is', async () => {
    const store = await kv.store();
    for (const [length, outcome] of [
      [SHORT_VALUE_BYTES - 1, 'done'],
      [SHORT_VALUE_BYTES, 'done'],
      [SHORT_VALUE_BYTES + 1, 'VALUE_MISMATCH'],
      [SHORT_VALUE_BYTES * 2, 'VALUE_MISMATCH'],
    ] as const) {
      const value = '7.'.padEnd(length, '0');
      await putEntry(kv.deps, putInput(store, 'k', '', { value, sizeBytes: length }));
      expect(await codeOf(change(store, 'k', add(1)))).toBe(outcome);
      expect(await entryOf(store, 'k')).toMatchObject({ value: outcome === 'done' ? '8' : value });
    }
  });

  test('of what is not there, of strangers, and above the limit of keys', async () => {
    const store = await kv.store();
    expect(await codeOf(change({ ...store, id: 'nothing' }, 'k', add(1)))).toBe('NOT_FOUND');
    for (const key of ['first', 'new'])
      expect(await codeOf(change(store, key, add(1), { ownerHash: 'stranger' }))).toBe('OWNER_TOKEN_WRONG');
    await kv.deps.sql`
      insert into kv_entries (namespace, id, key, value, size_bytes, updated_at)
      select ${store.namespace}, ${store.id}, 'filled-' || n, '1', 1, ${kv.time.now}
      from generate_series(1, ${LIMITS.kvKeys - 2}::int) as n`;
    const codes = await Promise.all(['a', 'b', 'c'].map((key) => codeOf(change(store, key, add(1)))));
    expect(codes.toSorted()).toEqual(['KV_KEY_LIMIT', 'KV_KEY_LIMIT', 'done']);
    expect(await codeOf(change(store, 'filled-1', add(1)))).toBe('done');
  });

  test.each(['there', 'new'])(
    'of a stranger are refused, also among those of the owner that wait together for a key that is %s',
    async (key) => {
      const store = await kv.store();
      await put(store, 'there', 0);
      const owners = [OWNER, OWNER, 'stranger', OWNER, 'stranger'];
      const codes = await Promise.all(
        owners.map((ownerHash) => codeOf(change(store, key, add(1), { ownerHash }))),
      );
      const wrong = 'OWNER_TOKEN_WRONG';
      expect(codes).toEqual(['done', 'done', wrong, 'done', wrong]);
      expect(await entryOf(store, key)).toMatchObject({ value: '3' });
    },
  );

  test('hold to their conditions', async () => {
    const store = await kv.store();
    const first = await change(store, 'k', add(1), { ifAbsent: true });
    expect(await codeOf(change(store, 'k', add(1), { ifAbsent: true }))).toBe('PRECONDITION_FAILED');
    const ifMatch = [first.entry.sequence.toString(36)];
    const codes = await Promise.all(
      Array.from({ length: 10 }, () => codeOf(change(store, 'k', add(1), { ifMatch }))),
    );
    expect(codes.filter((code) => code === 'done')).toHaveLength(1);
    expect(await codeOf(change(store, 'missing', add(1), { ifMatch: [] }))).toBe('PRECONDITION_FAILED');
    expect(await entryOf(store, 'k')).toMatchObject({ value: '2' });
  });
});

test('a change whose caller has little time left fails alone, and is not made later', async () => {
  const store = await kv.store();
  await put(store, 'n', 0);
  let stalls = 1;
  const sql = new Proxy(kv.deps.sql, {
    get(target, name, receiver) {
      if (name !== 'begin') return Reflect.get(target, name, receiver);
      return async (...args: unknown[]) => {
        // Longer than the first caller waits.
        if (stalls-- > 0) await Bun.sleep(300);
        return await Reflect.apply(Reflect.get(target, name, receiver), target, args);
      };
    },
  });
  const { turns, clock, cache, log, publishKeyChange } = kv.deps;
  const writer = createChangeWriter(
    { sql, turns, clock, cache, log, publishKeyChange, announcementMissed: () => undefined },
    createBusyKeys(),
  );
  const owned = { ...store, ownerHash: OWNER, key: 'n', ifMatch: null, ifAbsent: false, idempotency: null };
  const codes = await Promise.all([
    codeOf(writer.change({ ...owned, change: add(1) }, soon(400))),
    codeOf(writer.change({ ...owned, change: add(10) }, soon(20_000))),
  ]);
  expect(codes).toEqual(['TIMEOUT', 'done']);
  expect(await entryOf(store, 'n')).toMatchObject({ value: '10', version: 2 });
});

test('of changes that wait together for a key that another process holds only those without time fail', async () => {
  const store = await kv.store();
  await put(store, 'n', 0);
  const writer = createChangeWriter(kv.deps, createBusyKeys());
  const owned = { ...store, ownerHash: OWNER, key: 'n', ifMatch: null, ifAbsent: false, idempotency: null };
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = kv.deps.sql.begin(async (tx) => {
    await tx`select from kv_entries where namespace = ${store.namespace} and id = ${store.id} for update`;
    held.resolve();
    await released.promise;
  });
  await held.promise;
  const now = steadyNow();
  const changeBy = (by: number, waitsMs: number) =>
    codeOf(writer.change({ ...owned, change: add(by) }, { deadline: now + waitsMs }));
  // The first waits for the row by itself; the others gather meanwhile for the next transaction.
  const first = changeBy(1, 1_000);
  await Bun.sleep(100);
  const others = [changeBy(10, 1_800), changeBy(100, 20_000), changeBy(1_000, 20_000)];
  expect(await Promise.all([first, others[0]])).toEqual(['TIMEOUT', 'TIMEOUT']);
  released.resolve();
  await holding;
  expect(await Promise.all(others)).toEqual(['TIMEOUT', 'done', 'done']);
  expect(await entryOf(store, 'n')).toMatchObject({ value: '1100', version: 3 });
});

test('of two keys that are changed at once under one idempotency key the second is refused', async () => {
  const store = await kv.store();
  await put(store, 'm', 0);
  await put(store, 'n', 0);
  const key = crypto.randomUUID();
  const [inserted, first] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const made = kv.deps.sql.begin(async (tx) => {
    await tx`
      insert into kv_change_receipts (namespace, id, receipt, fingerprint, answer, created_at)
      values (${store.namespace}, ${store.id}, ${key}, 'a change of m', '{}', now())`;
    inserted.resolve();
    await first.promise;
  });
  await inserted.promise;
  const second = codeOf(change(store, 'n', add(1), under(key, 'a change of n')));
  await Bun.sleep(200);
  first.resolve();
  await made;
  expect(await second).toBe('VALIDATION_FAILED');
  expect(await entryOf(store, 'n')).toMatchObject({ value: '0' });
});

describe('appends', () => {
  test('of 50 writers at once are all in the list, in the order of their versions', async () => {
    const store = await kv.store();
    const done = await Promise.all(Array.from({ length: 50 }, (_, n) => change(store, 'log', append({ n }))));
    const entry = await entryOf(store, 'log');
    const list = JSON.parse(entry?.value ?? '') as Array<{ n: number }>;
    for (const [n, { entry: made, value }] of done.entries()) {
      expect(value).toBeNull();
      expect(list[made.version - 1]).toEqual({ n });
      expect(made.sizeBytes).toBe(JSON.stringify(list.slice(0, made.version)).length);
    }
    expect(list).toHaveLength(50);
    expect(entry?.sizeBytes).toBe(entry?.value.length);
  });

  test('to a text, in one piece with what it had, and with its own bytes counted', async () => {
    const store = await kv.store();
    await put(store, 'text', 'grün\n"a"');
    const done = await change(store, 'text', append(' und blau\u2028\\'));
    expect(JSON.parse((await entryOf(store, 'text'))?.value ?? '')).toBe('grün\n"a" und blau\u2028\\');
    expect(done.entry).toMatchObject({
      version: 2,
      sizeBytes: Buffer.byteLength('grün\n"a" und blau\u2028\\'),
    });
    expect(await codeOf(change(store, 'text', append(1)))).toBe('VALUE_MISMATCH');
  });

  test.each([
    ['an empty list', '[]', '[1,"x"]'],
    ['a list with numbers as they were written', '[1.50]', '[1.50,1,"x"]'],
  ])('to %s', async (_, value, after) => {
    const store = await kv.store();
    await putEntry(kv.deps, putInput(store, 'k', '', { value, sizeBytes: value.length }));
    await Promise.all([change(store, 'k', append(1)), change(store, 'k', append('x'))]);
    expect((await entryOf(store, 'k'))?.value).toBe(after);
  });

  test('to a list count its bytes, not its characters', async () => {
    const store = await kv.store();
    for (const [text, value] of [
      ['ä€', '["ä€"]'],
      ['😀', '["ä€","😀"]'],
    ] as const) {
      const { entry } = await change(store, 'list', append(text));
      expect(entry.sizeBytes).toBe(Buffer.byteLength(value));
      expect(await entryOf(store, 'list')).toMatchObject({ value, sizeBytes: entry.sizeBytes });
    }
  });

  test.each([1, { a: [] }, null, true])('to %p are refused', async (value) => {
    const store = await kv.store();
    await put(store, 'k', value);
    expect(await codeOf(change(store, 'k', append('x')))).toBe('VALUE_MISMATCH');
  });

  test('go up to the size of a value, and not above it', async () => {
    const store = await kv.store();
    await put(store, 'text', 'x'.repeat(LIMITS.kvValueBytes - 2));
    await put(store, 'list', ['x'.repeat(LIMITS.kvValueBytes - 8)]);
    for (const key of ['text', 'list']) {
      const codes = await Promise.all(['ab', 'c'].map((more) => codeOf(change(store, key, append(more)))));
      expect(codes).toEqual(key === 'text' ? ['done', 'TOO_LARGE'] : ['TOO_LARGE', 'done']);
      expect((await entryOf(store, key))?.sizeBytes).toBe(LIMITS.kvValueBytes);
    }
  });

  test('to large values take several commits, and none along with changes of others', async () => {
    const [large, small] = [await kv.store(), await kv.store()];
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    for (const key of keys) await put(large, key, 'x'.repeat(900_000));
    await put(small, 'n', 0);
    const appended = keys.flatMap((key) => [
      change(large, key, append('a')),
      change(large, key, append('b')),
    ]);
    const counted = change(small, 'n', add(1));
    const done = await Promise.all([...appended, counted]);
    expect(done.filter(({ entry }) => entry.version === 3)).toHaveLength(20);
    const written = await kv.deps.sql<Array<{ bytes: number; keys: string[] }>>`
      select sum(size_bytes)::int as bytes, array_agg(key order by key) as keys from kv_entries
      where id in (${large.id}, ${small.id}) and key <> 'first'
      group by xmin::text::bigint order by xmin::text::bigint`;
    expect(written.filter(({ bytes }) => bytes > BATCH.bytes)).toEqual([]);
    expect(written[0]?.keys).toEqual(['n']);
    for (const key of keys) expect((await entryOf(large, key))?.value).toEndWith('xab"');
  });

  test('to large values are made for clients in turns', async () => {
    const [store, other] = [await kv.store(), await kv.store()];
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    for (const key of keys) await put(store, key, 'x'.repeat(900_000));
    await put(other, 'k', 'x'.repeat(900_000));
    const answered: string[] = [];
    const appendFor = async (client: string, at: ItemRef, key: string) => {
      await change(at, key, append('a'), {}, kv.deps, { ...soon(), client });
      answered.push(client);
    };
    const many = keys.map((key) => appendFor('many', store, key));
    await Promise.all([...many, appendFor('one', other, 'k')]);
    expect(answered.indexOf('one')).toBeLessThan(10);
  });
});

describe('an idempotency key', () => {
  test('makes a change once, however often and at once it is sent, with the first answer', async () => {
    const store = await kv.store();
    await put(store, 'n', 10);
    const twenty = () =>
      Promise.all(Array.from({ length: 20 }, () => change(store, 'n', add(5), under('one'))));
    const first = await twenty();
    await change(store, 'n', add(1));
    const later = await twenty();
    expect(new Set([...first, ...later].map((done) => JSON.stringify(done))).size).toBe(1);
    expect(first[0]).toMatchObject({ value: 15, entry: { version: 2 } });
    expect(await entryOf(store, 'n')).toMatchObject({ value: '16', version: 3 });
    // Also where the first of them makes the key, and after the key is gone.
    const made = await Promise.all(
      Array.from({ length: 5 }, () => change(store, 'new', append(1), under('two'))),
    );
    expect(new Set(made.map((done) => JSON.stringify(done))).size).toBe(1);
    await removeEntry(kv.deps, { ...store, ownerHash: OWNER, key: 'new', ifMatch: null });
    expect(await change(store, 'new', append(1), under('two'))).toEqual(made[0] as never);
    expect(await entryOf(store, 'new')).toBeUndefined();
  });

  test('announces its change again: who made it may have died before', async () => {
    const store = await kv.store();
    const long = 'x'.repeat(100);
    const works: Array<[key: string, value: unknown, what: ValueChange]> = [
      ['short', 10, add(5)],
      ['long', [long], append(long)],
      ['large', 'x'.repeat(CACHED_VALUE_BYTES - 10), append(long)],
    ];
    for (const [key, value] of works) await put(store, key, value);
    const changes = writerThatDies();
    const made = await Promise.all(
      works.map(([key, , what]) => change(store, key, what, under(key), { ...kv.deps, changes })),
    );
    for (const [key] of works) expect(await cached(store, key)).toMatchObject({ entry: { version: 1 } });
    // Together they are one statement.
    const again = await Promise.all(works.map(([key, , what]) => change(store, key, what, under(key))));
    expect(again).toEqual(made);
    for (const [key] of works) {
      const row = await entryOf(store, key);
      const told = await cached(store, key);
      expect(told?.sequence).toBe(row?.sequence ?? 0);
      // A value that is not at hand is left to the next read.
      expect([undefined, row?.value]).toContain(told?.entry?.value);
      const { namespace, id, code } = store;
      const { entry } = await readEntry(kv.deps, { namespace, id, key, store: code });
      expect(entry).toMatchObject({ version: 2, value: row?.value });
    }
    expect(await cached(store, 'short')).toMatchObject({ entry: { value: '15', version: 2, sizeBytes: 2 } });
    expect(await cached(store, 'long')).toMatchObject({ entry: { version: 2 } });
    expect(await cached(store, 'large')).toMatchObject({ entry: null });
  });

  test('goes before conditions: of changes at once that may only make a key one is made, and answers those that repeat it', async () => {
    const store = await kv.store();
    const make = (key: string) =>
      change(store, 'new', add(1), { ifAbsent: true, ...under(key) }).catch(
        ({ code }: { code: unknown }) => code,
      );
    const [first, ...others] = await Promise.all(['one', 'two', 'one', 'three', 'one'].map(make));
    expect(first).toMatchObject({ value: 1, created: true, entry: { version: 1 } });
    expect(others).toEqual(['PRECONDITION_FAILED', first, 'PRECONDITION_FAILED', first]);
    expect(await Promise.all(['three', 'one'].map(make))).toEqual(['PRECONDITION_FAILED', first]);
    expect(await entryOf(store, 'new')).toMatchObject({ value: '1', version: 1 });
  });

  test('announces what others have made of the key since', async () => {
    const store = await kv.store();
    await put(store, 'n', 10);
    const deps = { ...kv.deps, changes: writerThatDies() };
    await change(store, 'n', add(5), under('one'), deps);
    await change(store, 'n', add(1), under('two'), deps);
    const codes = await Promise.all([
      codeOf(change(store, 'n', add(5), under('one'))),
      codeOf(change(store, 'n', append('x'))),
    ]);
    expect(codes).toEqual(['done', 'VALUE_MISMATCH']);
    expect(await cached(store, 'n')).toMatchObject({ entry: { value: '16', version: 3 } });
  });

  test('of another request is refused, at once or later', async () => {
    const store = await kv.store();
    const codes = await Promise.all([
      codeOf(change(store, 'n', add(5), under('one'))),
      codeOf(change(store, 'n', add(6), under('one', 'another'))),
    ]);
    expect(codes.toSorted()).toEqual(['VALIDATION_FAILED', 'done']);
    expect(await codeOf(change(store, 'other', add(6), under('one', 'another')))).toBe('VALIDATION_FAILED');
    const works = ['a', 'b', 'c', 'd'].map((key) => codeOf(change(store, key, add(1), under('three', key))));
    expect((await Promise.all(works)).toSorted()).toEqual([
      ...['VALIDATION_FAILED', 'VALIDATION_FAILED', 'VALIDATION_FAILED', 'done'],
    ]);
  });

  test('of a refused change is free, and is forgotten after a day or with its store', async () => {
    const store = await kv.store();
    expect(await codeOf(change(store, 'first', add(1), under('one')))).toBe('VALUE_MISMATCH');
    expect(await codeOf(change(store, 'first', append('x'), under('one')))).toBe('done');
    const dayMs = 24 * 3_600_000;
    kv.time.now += dayMs;
    await forgetChanges(kv.deps);
    expect(await receipts(store)).toBe(1);
    kv.time.now += 1;
    await forgetChanges(kv.deps);
    kv.time.now -= dayMs + 1;
    expect(await receipts(store)).toBe(0);
    expect(await codeOf(change(store, 'first', append('x'), under('one')))).toBe('done');
    expect(await receipts(store)).toBe(1);
    const works = Array.from({ length: 40 }, (_, n) =>
      n === 20
        ? removeItem(kv.deps, { ...store, kind: 'kv', ownerHash: OWNER }, soon())
        : change(store, n % 2 === 0 ? 'first' : `k${n}`, append('y'), under(`key ${n}`)),
    );
    const codes = new Set(await Promise.all(works.map(codeOf)));
    expect(codes.size === 1 || codes.has('NOT_FOUND')).toBe(true);
    codes.delete('done');
    codes.delete('NOT_FOUND');
    expect([...codes]).toEqual([]);
    expect(await receipts(store)).toBe(0);
  });
});

const receipts = async ({ namespace, id }: ItemRef): Promise<number> => {
  const [row] = await kv.deps.sql<Array<{ count: number }>>`
    select count(*)::int as count from kv_change_receipts where namespace = ${namespace} and id = ${id}`;
  return row?.count ?? 0;
};

/** Transactions of this database that changed something. */
async function commits(): Promise<number> {
  const [row] = await kv.deps.sql<Array<{ id: string }>>`
    select (pg_snapshot_xmax(pg_current_snapshot()))::text as id`;
  return Number(row?.id ?? 0);
}
