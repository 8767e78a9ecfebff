import { expect, test } from 'bun:test';
import { until } from '../../infra/until.ts';
import { replaceValue } from '../../services/kv/repository/entries.ts';
import { createValueWriter } from '../../services/kv/value-writer.ts';
import { steadyNow } from '../../shared/deadline.ts';
import { createDatabaseClock } from '../../shared/items/database-clock.ts';
import type { Database } from '../../shared/items/sql.ts';
import { FAR, OWNER, putEntry, putInput, useKvOperations } from './kv-operations.ts';

const kv = useKvOperations();

const values = async (store: { namespace: string; id: string }) =>
  Object.fromEntries((await kv.stored(store)).map(({ key, value }) => [key, JSON.parse(value)]));

/** A database that counts its statements. */
function counted(sql: Database): { sql: Database; statements(): number } {
  let statements = 0;
  const proxy = new Proxy(sql, {
    apply(target, self, args) {
      statements += 1;
      return Reflect.apply(target, self, args);
    },
  });
  return { sql: proxy, statements: () => statements };
}

test('writes at once share statements, and each is answered with its own', async () => {
  const store = await kv.store();
  for (let n = 0; n < 300; n++) await putEntry(kv.deps, putInput(store, `k${n}`, 'old'));
  const { sql, statements } = counted(kv.deps.sql);
  const writer = createValueWriter({ ...kv.deps, sql });
  const written = await Promise.all(
    Array.from({ length: 300 }, (_, n) => {
      const { key, value, sizeBytes } = putInput(store, `k${n}`, `new ${n}`);
      return writer.replace({ ...store, ownerHash: OWNER, key, value, sizeBytes }, FAR);
    }),
  );
  expect(written.map((entry) => [entry?.key, entry?.version])).toEqual(written.map((_, n) => [`k${n}`, 2]));
  expect(statements()).toBe(3);
  const stored = await values(store);
  for (let n = 0; n < 300; n++) expect(stored[`k${n}`]).toBe(`new ${n}`);
});

test.each([7, 8, 9])('with one statement under way, %d more begin a second from eight on', async (more) => {
  const store = await kv.store();
  const keys = Array.from({ length: more + 1 }, (_, n) => `k${n}`);
  for (const key of keys) await putEntry(kv.deps, putInput(store, key, 'old'));
  const release = Promise.withResolvers<void>();
  let statements = 0;
  const sql = new Proxy(kv.deps.sql, {
    apply(target, self, args) {
      statements += 1;
      return release.promise.then(() => Reflect.apply(target, self, args));
    },
  });
  const writer = createValueWriter({ ...kv.deps, sql });
  const write = (key: string, value: string) => {
    const input = putInput(store, key, value);
    const { sizeBytes } = input;
    return writer.replace({ ...store, ownerHash: OWNER, key, value: input.value, sizeBytes }, FAR);
  };
  const first = write('k0', 'first');
  await until('the first statement is under way', async () => statements === 1);
  const others = keys.slice(1).map((key) => write(key, 'second'));
  // Of a key that is being written no second value goes along.
  const again = write('k0', 'third');
  const second = more >= 8 ? 2 : 1;
  await until('a second one is, if it begins', async () => statements === second);
  await Bun.sleep(20);
  expect(statements).toBe(second);
  release.resolve();
  expect((await Promise.all([first, ...others])).map((entry) => entry?.version)).toEqual(keys.map(() => 2));
  expect(await again).toMatchObject({ version: 3 });
  expect(await values(store)).toMatchObject({ k0: 'third', k1: 'second' });
});

test('of one key the writes keep their order, one after the other', async () => {
  const store = await kv.store();
  const { values: writer } = kv.deps;
  const written = await Promise.all(
    Array.from({ length: 20 }, (_, n) => {
      const { key, value, sizeBytes } = putInput(store, 'first', `${n}`);
      return writer.replace({ ...store, ownerHash: OWNER, key, value, sizeBytes }, FAR);
    }),
  );
  expect(written.map((entry) => entry?.version)).toEqual(Array.from({ length: 20 }, (_, n) => n + 2));
  const sequences = written.map((entry) => entry?.sequence ?? 0);
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  expect((await values(store)).first).toBe('19');
});

test('what cannot be replaced at once is left out, and nothing waits for it', async () => {
  const { sql, values: writer } = kv.deps;
  const [store, other] = [await kv.store(), await kv.store()];
  const fresh = (key: string, ownerHash = OWNER, at = store) =>
    writer.replace({ ...at, ownerHash, key, value: '"new"', sizeBytes: 3 }, FAR);
  await sql.begin(async (tx) => {
    await tx`select 1 from kv_entries where id = ${store.id} for update`;
    const [held, missing, strangers, fine] = await Promise.all([
      fresh('first'),
      fresh('missing'),
      fresh('first', 'stranger', other),
      fresh('first', OWNER, other),
    ]);
    expect([held, missing, strangers]).toEqual([null, null, null]);
    expect(fine).toMatchObject({ key: 'first', version: 2, store: other.code });
  });
  expect(await values(store)).toEqual({ first: 'one' });
  expect(await putEntry(kv.deps, putInput(store, 'first', 'later'))).toMatchObject({ created: false });
  expect(await values(store)).toEqual({ first: 'later' });
});

test('a statement that fails fails all who went along, and the next go on', async () => {
  const store = await kv.store();
  let broken = true;
  const sql = new Proxy(kv.deps.sql, {
    apply(target, self, args) {
      if (broken) throw new Error('broken');
      return Reflect.apply(target, self, args);
    },
  });
  const writer = createValueWriter({ ...kv.deps, sql });
  const write = () =>
    writer.replace({ ...store, ownerHash: OWNER, key: 'first', value: '"x"', sizeBytes: 1 }, FAR);
  const outcomes = await Promise.allSettled([write(), write()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  broken = false;
  expect(await write()).toMatchObject({ version: 2 });
});

test('one value that the database rejects fails alone, wherever it is in its batch', async () => {
  const store = await kv.store();
  const { values: writer } = kv.deps;
  const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
  for (const key of keys) await putEntry(kv.deps, putInput(store, key, 'old'));
  for (const rejected of [0, 7, 19]) {
    const outcomes = await Promise.allSettled(
      keys.map((key, n) => {
        // More than the column takes.
        const sizeBytes = n === rejected ? 2 ** 40 : 5;
        return writer.replace({ ...store, ownerHash: OWNER, key, value: `"${rejected}"`, sizeBytes }, FAR);
      }),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(
      keys.map((_, n) => (n === rejected ? 'rejected' : 'fulfilled')),
    );
    const stored = await values(store);
    for (const [n, key] of keys.entries()) {
      expect([key, stored[key] === `${rejected}`]).toEqual([key, n !== rejected]);
    }
  }
});

test('a statement that comes to the database too late writes nothing', async () => {
  const store = await kv.store();
  const { sql, clock, databaseClock } = kv.deps;
  const late = { ...store, ownerHash: OWNER, key: 'first', value: '"late"', sizeBytes: 4 };
  // As over a connection that stands still for longer than anybody waits.
  const stalled = new Proxy(sql, {
    apply: (target, self, args) => Bun.sleep(1_000).then(() => Reflect.apply(target, self, args)),
  });
  const writer = createValueWriter({ clock, databaseClock, sql: stalled });
  expect(await writer.replace(late, steadyNow() + 900)).toBeNull();
  expect((await values(store)).first).not.toBe('late');
  expect(await writer.replace({ ...late, value: '"in time"' }, steadyNow() + 10_000)).not.toBeNull();
});

test.each([0, 8_000, -8_000])(
  'a database whose clock is %d ms ahead is told its own moments',
  async (ahead) => {
    let asked = 0;
    const sql = new Proxy(kv.deps.sql, {
      async apply() {
        asked += 1;
        if (asked === 1) throw new Error('broken');
        return [{ now: steadyNow() + ahead }];
      },
    });
    const databaseClock = createDatabaseClock(sql);
    const deadline = steadyNow() + 5_000;
    await expect(databaseClock.commitBy(deadline)).rejects.toThrow('broken');
    const told = (await databaseClock.commitBy(deadline)) - ahead;
    expect(told).toBeLessThan(deadline);
    expect(told).toBeGreaterThan(deadline - 1_000);
    await databaseClock.commitBy(Number.POSITIVE_INFINITY);
    expect(asked).toBe(2);
  },
);

test('a value under a condition is not replaced too late either', async () => {
  const store = await kv.store();
  const { sql, clock, databaseClock } = kv.deps;
  const item = { ...store, kind: 'kv' as const, ownerHash: OWNER };
  const [row] = await sql<Array<{ sequence: number }>>`
    select sequence from kv_entries where namespace = ${store.namespace} and id = ${store.id}`;
  const replace = async (deadline: number) => {
    const times = { now: clock.now(), commitBy: await databaseClock.commitBy(deadline) };
    const value = { key: 'first', value: '"next"', sizeBytes: 6 };
    return await replaceValue(sql, item, value, [row?.sequence ?? 0], times);
  };
  expect(await replace(steadyNow())).toBeNull();
  expect(await replace(steadyNow() + 5_000)).not.toBeNull();
});

test('what nobody waits for any more is not written', async () => {
  const store = await kv.store();
  const { values: writer } = kv.deps;
  const late = { ...store, ownerHash: OWNER, key: 'first', value: '"late"', sizeBytes: 4 };
  await expect(writer.replace(late, Date.now() - 1)).rejects.toMatchObject({ code: 'TIMEOUT' });
  // Also behind a statement that takes longer than it would wait.
  const sql = new Proxy(kv.deps.sql, {
    apply: (target, self, args) => Bun.sleep(100).then(() => Reflect.apply(target, self, args)),
  });
  const stalled = createValueWriter({ ...kv.deps, sql });
  const first = stalled.replace({ ...late, value: '"in time"' }, FAR);
  await Bun.sleep(20);
  await expect(stalled.replace(late, Date.now() + 20)).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(await first).toMatchObject({ version: 2 });
  expect(await values(store)).toEqual({ first: 'in time' });
});
