import { expect, test } from 'bun:test';
import { replaceEntries } from '../../services/kv/operations/replace-entries.ts';
import { createKv } from '../../services/kv/operations/stores.ts';
import { errors } from '../../shared/errors.ts';
import { type ItemRef, LIMITS } from '../../shared/items/item.ts';
import { removeItem } from '../../shared/items/remove-item.ts';
import { PerchError } from '../../shared/perch-error.ts';
import { soon } from '../call-context.ts';
import { OWNER, putEntry, putInput, removeEntry, useKvOperations } from './kv-operations.ts';

const kv = useKvOperations();

const codeOf = (error: unknown): string => (error instanceof PerchError ? error.code : String(error));

/** Runs works at once; returns the error code of each, or `done`. */
const outcomes = async (works: Array<() => Promise<unknown>>): Promise<string[]> => {
  const settled = await Promise.allSettled(works.map((work) => work()));
  return settled.map((outcome) => (outcome.status === 'fulfilled' ? 'done' : codeOf(outcome.reason)));
};

const tally = (codes: string[]): Record<string, number> =>
  Object.fromEntries(
    Map.groupBy(codes, (code) => code)
      .entries()
      .map(([code, all]) => [code, all.length]),
  );

const cached = async (store: ItemRef, key: string) =>
  (await kv.deps.cache.visitEntry(store, key, false)).entry;

test('of 50 writers of new keys exactly as many succeed as the store has room for', async () => {
  const store = await kv.store();
  await kv.deps.sql`
    insert into kv_entries (namespace, id, key, value, size_bytes, updated_at)
    select ${store.namespace}, ${store.id}, 'filled-' || n, '1', 1, ${kv.time.now}
    from generate_series(1, ${LIMITS.kvKeys - 11}::int) as n`;
  const works = Array.from(
    { length: 50 },
    (_, n) => () => putEntry(kv.deps, putInput(store, `new-${n}`, 'x')),
  );
  expect(tally(await outcomes(works))).toEqual({ done: 10, KV_KEY_LIMIT: 40 });
  expect((await kv.stored(store)).length).toBe(LIMITS.kvKeys);

  // At the limit values still change, and a removed key makes room for one.
  await putEntry(kv.deps, putInput(store, 'first', 'changed'));
  await removeEntry(kv.deps, { ...store, ownerHash: OWNER, key: 'filled-1', ifMatch: null });
  const again = Array.from(
    { length: 10 },
    (_, n) => () => putEntry(kv.deps, putInput(store, `more-${n}`, 'x')),
  );
  expect(tally(await outcomes(again))).toEqual({ done: 1, KV_KEY_LIMIT: 9 });
  expect((await kv.stored(store)).length).toBe(LIMITS.kvKeys);
});

test('of 50 creates of one address exactly one succeeds, with its key', async () => {
  const works = Array.from({ length: 50 }, (_, n) => () => {
    const entry = { key: `key-${n}`, value: String(n), sizeBytes: 1 };
    return createKv(kv.deps, kv.createInput({ namespace: 'contended', id: 'one', entry }), soon());
  });
  const codes = await outcomes(works);
  expect(tally(codes)).toEqual({ done: 1, ID_TAKEN: 49 });
  const winner = codes.indexOf('done');
  expect(await kv.stored({ namespace: 'contended', id: 'one' })).toMatchObject([
    { key: `key-${winner}`, value: String(winner), version: 1 },
  ]);
});

test('the sequences of a key grow in the order of its commits, over puts and removals at once', async () => {
  const store = await kv.store();
  const { sql } = kv.deps;
  // Numbers the changes while each still holds its row, so in the order of their commits.
  await sql`create table kv_changes (place bigserial, key text, sequence bigint)`;
  await sql`create function note_change() returns trigger language plpgsql as
    ${sql.unsafe('$$ begin insert into kv_changes (key, sequence) values (new.key, new.sequence); return new; end $$')}`;
  for (const table of ['kv_entries', 'kv_removed_entries']) {
    await sql`create trigger note after insert or update on ${sql(table)} for each row execute function note_change()`;
  }
  const put = (n: number) => () => putEntry(kv.deps, putInput(store, 'hot', String(n)));
  const remove = () => removeEntry(kv.deps, { ...store, ownerHash: OWNER, key: 'hot', ifMatch: null });
  for (let round = 0; round < 10; round++) {
    const works = Array.from({ length: 40 }, (_, n) => (n % 5 === 4 ? remove : put(n)));
    const codes = new Set(await outcomes(works));
    codes.delete('done');
    codes.delete('NOT_FOUND');
    expect([...codes]).toEqual([]);
    const [found] = (await kv.stored(store)).filter(({ key }) => key === 'hot');
    const record = await cached(store, 'hot');
    expect(record?.entry?.value ?? null).toBe(found?.value ?? null);
    if (found !== undefined) expect(record?.sequence).toBe(found.sequence);
  }
  await sql`drop function note_change cascade`;
  const changes = await sql<Array<{ sequence: number }>>`
    select sequence from kv_changes where key = 'hot' order by place`;
  const sequences = changes.map(({ sequence }) => sequence);
  expect(sequences.length).toBeGreaterThan(100);
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  expect(new Set(sequences).size).toBe(sequences.length);
});

test('of 20 writers who have read the same version exactly one wins', async () => {
  const store = await kv.store();
  for (let round = 0; round < 5; round++) {
    const { entry } = await putEntry(kv.deps, putInput(store, 'first', `round ${round}`));
    const ifMatch = [entry.sequence.toString(36)];
    const works = Array.from(
      { length: 20 },
      (_, n) => () => putEntry(kv.deps, putInput(store, 'first', `${round}/${n}`, { ifMatch })),
    );
    expect(tally(await outcomes(works))).toEqual({ done: 1, PRECONDITION_FAILED: 19 });
  }
});

test('a removal on a condition waits for a put that is under way, and leaves the value that it has put', async () => {
  const store = await kv.store();
  const { sql } = kv.deps;
  const [row] = await kv.stored(store);
  const ifMatch = [row?.sequence.toString(36) ?? ''];
  let removal: Promise<string[]> | undefined;
  await sql.begin(async (tx) => {
    await tx`
      update kv_entries set value = '"two"', sequence = next_item_version()
      where namespace = ${store.namespace} and id = ${store.id} and key = 'first'`;
    removal = outcomes([() => removeEntry(kv.deps, { ...store, ownerHash: OWNER, key: 'first', ifMatch })]);
    for (let isWaiting = false; !isWaiting; ) {
      const waiting = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      isWaiting = waiting.length > 0;
    }
  });
  expect(await removal).toEqual(['PRECONDITION_FAILED']);
  expect(await kv.stored(store)).toMatchObject([{ key: 'first', value: '"two"' }]);
});

test('of 20 writers who want a key to be new exactly one wins', async () => {
  const store = await kv.store();
  const works = Array.from(
    { length: 20 },
    (_, n) => () => putEntry(kv.deps, putInput(store, 'new', String(n), { ifAbsent: true })),
  );
  expect(tally(await outcomes(works))).toEqual({ done: 1, PRECONDITION_FAILED: 19 });
});

test('a message of values waits for no other write of their keys: those of other stores are done meanwhile', async () => {
  const [hot, other] = [await kv.store(), await kv.store()];
  const { sql } = kv.deps;
  // As many as begin a second commit beside the one that is held.
  const keys = Array.from({ length: 8 }, (_, n) => `k${n}`);
  for (const key of keys) await putEntry(kv.deps, putInput(other, key, 'old'));
  const write = (store: ItemRef, key: string, text: string) => {
    const { ifMatch, ifAbsent, ...rest } = putInput(store, key, text);
    return rest;
  };
  await sql`create function hold() returns trigger language plpgsql as
    ${sql.unsafe('$$ begin perform pg_advisory_xact_lock(1); return new; end $$')}`;
  await sql`create trigger hold before update on kv_entries for each row
    when (new.value = '"held"') execute function hold()`;
  let held: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(1)`;
    held = putEntry(kv.deps, putInput(hot, 'first', 'held'));
    for (let isHeld = false; !isHeld; ) {
      const waiting = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      isHeld = waiting.length > 0;
    }
    const writes = [write(hot, 'first', 'next'), ...keys.map((key) => write(other, key, 'new'))];
    const { outcomes } = await replaceEntries(kv.deps, { writes }, soon());
    expect(outcomes).toMatchObject([null, ...keys.map((key) => ({ entry: { key, version: 2 } }))]);
  });
  await held;
  await sql`drop function hold cascade`;
  // A message of one key makes nobody else wait.
  const writes = [write(hot, 'first', 'one'), write(hot, 'first', 'two')];
  const { outcomes } = await replaceEntries(kv.deps, { writes }, soon());
  expect(outcomes).toMatchObject([{ entry: { version: 3 } }, { entry: { version: 4 } }]);
  expect(await kv.stored(hot)).toMatchObject([{ value: '"two"', version: 4 }]);
});

test('a store that is removed while it is written to leaves nothing behind', async () => {
  for (let round = 0; round < 5; round++) {
    const store = await kv.store();
    await putEntry(kv.deps, putInput(store, 'hot', 'x'));
    const owned = { ...store, ownerHash: OWNER };
    const works = Array.from({ length: 40 }, (_, n) => () => {
      if (n === 20) return removeItem(kv.deps, { ...owned, kind: 'kv' }, soon());
      if (n % 10 === 5) return removeEntry(kv.deps, { ...owned, key: 'hot', ifMatch: null });
      return putEntry(kv.deps, putInput(store, n % 2 === 0 ? 'hot' : `key-${n}`, String(n)));
    });
    const codes = new Set(await outcomes(works));
    codes.delete('done');
    expect([...codes].filter((code) => code !== errors.contentNotFound('', '').code)).toEqual([]);
    const [left] = await kv.deps.sql<Array<{ entries: number; removals: number }>>`
      select (select count(*) from kv_entries where id = ${store.id}) as entries,
        (select count(*) from kv_removed_entries where id = ${store.id}) as removals`;
    expect(left).toMatchObject({ entries: 0, removals: 0 });
  }
});
