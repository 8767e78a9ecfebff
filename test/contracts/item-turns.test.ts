import { expect, test } from 'bun:test';
import { createHtml } from '../../services/content/operations/html.ts';
import { renewItem } from '../../services/content/operations/renew-item.ts';
import { changeEntry } from '../../services/kv/operations/change-entry.ts';
import { findItem } from '../../shared/items/item-repository.ts';
import type { Database, Query } from '../../shared/items/sql.ts';
import { soon } from '../call-context.ts';
import { startContentOperations } from '../faults/content-operations.ts';
import { useStarted } from '../started.ts';
import { OWNER, putEntry, putInput, removeEntry, useKvOperations } from './kv-operations.ts';

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);
const kv = useKvOperations();

/** More than a process has connections. */
const MANY = 40;

async function publish() {
  const input = await content.createInput(`<p>${crypto.randomUUID()}`);
  const { item } = await createHtml(content.deps, input, soon());
  return { namespace: item.namespace, id: item.id, ownerHash: input.ownerHash };
}

/** Begins changes while a transaction holds the rows that `lock` locks, and does something else once one of them waits there. */
async function whileHeld<T>(
  sql: Database,
  lock: (tx: Query) => Promise<unknown>,
  changes: Array<() => Promise<T>>,
  meanwhile: () => Promise<void>,
): Promise<Array<PromiseSettledResult<T>>> {
  const all = await sql.begin(async (tx) => {
    await lock(tx);
    const begun = Promise.allSettled(changes.map((change) => change()));
    for (let isWaiting = false; !isWaiting; ) {
      const waiting = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      isWaiting = waiting.length > 0;
    }
    await meanwhile();
    return { begun };
  });
  return await all.begun;
}

const statusesOf = (outcomes: Array<PromiseSettledResult<unknown>>): string[] => [
  ...new Set(outcomes.map(({ status }) => status)),
];

test('another item is changed while many changes of one item wait for its row; these are made in their order', async () => {
  const { deps } = content;
  const [held, other] = [await publish(), await publish()];
  const outcomes = await whileHeld(
    deps.sql,
    (tx) => tx`select from items where namespace = ${held.namespace} and id = ${held.id} for update`,
    Array.from({ length: MANY }, (_, n) => () => renewItem(deps, { ...held, ttlDays: (n % 30) + 1 }, soon())),
    async () => {
      expect(await renewItem(deps, { ...other, ttlDays: 9 }, soon())).toMatchObject({ ttlDays: 9 });
    },
  );
  expect(statusesOf(outcomes)).toEqual(['fulfilled']);
  expect(await findItem(deps.sql, held)).toMatchObject({ ttlDays: ((MANY - 1) % 30) + 1 });
  expect(deps.turns.rows).toBe(0);
});

test('a change that waits behind another until its time is over is not made, and leaves nothing behind', async () => {
  const { deps } = content;
  const held = await publish();
  const [first, late] = await whileHeld(
    deps.sql,
    (tx) => tx`select from items where namespace = ${held.namespace} and id = ${held.id} for update`,
    [
      () => renewItem(deps, { ...held, ttlDays: 9 }, soon()),
      () => renewItem(deps, { ...held, ttlDays: 20 }, soon(700)),
    ],
    () => Bun.sleep(800),
  );
  expect([first?.status, late]).toMatchObject([
    'fulfilled',
    { reason: { code: 'TIMEOUT', mayBeDone: false } },
  ]);
  expect(await findItem(deps.sql, held)).toMatchObject({ ttlDays: 9 });
  expect(deps.turns.rows).toBe(0);
});

type Store = Awaited<ReturnType<typeof kv.store>>;

const increment = ({ namespace, id }: Store, key: string) => {
  const input = { namespace, id, ownerHash: OWNER, key, ifMatch: null, ifAbsent: false, idempotency: null };
  return changeEntry(kv.deps, { ...input, change: { kind: 'increment', by: 1 } }, soon());
};

const lockStore = ({ namespace, id }: Store, tx: Query) =>
  tx`select from items where namespace = ${namespace} and id = ${id} for update`;
const lockKeys = ({ namespace, id }: Store, tx: Query) =>
  tx`select from kv_entries where namespace = ${namespace} and id = ${id} for update`;

/** Changes of a store that wait for the row of the store, or of its key `first`. */
const CHANGES: Array<
  [name: string, lock: typeof lockStore, change: (store: Store, n: number) => Promise<unknown>]
> = [
  ['puts of new keys', lockStore, (store, n) => putEntry(kv.deps, putInput(store, `new-${n}`, 'x'))],
  ['increments of new keys', lockStore, (store, n) => increment(store, `new-${n}`)],
  ['puts of a key', lockKeys, (store, n) => putEntry(kv.deps, putInput(store, 'first', `${n}`))],
  [
    'puts of a key on a condition',
    lockKeys,
    async (store, n) => {
      const [row] = await kv.stored(store);
      const ifMatch = [row?.sequence.toString(36) ?? ''];
      return await putEntry(kv.deps, putInput(store, 'first', `${n}`, { ifMatch }));
    },
  ],
];

test.each(CHANGES)(
  'another store is changed while many %s wait for a row of one',
  async (_, lock, change) => {
    const [held, other] = [await kv.store(), await kv.store()];
    const outcomes = await whileHeld(
      kv.deps.sql,
      (tx) => lock(held, tx),
      Array.from({ length: MANY }, (_, n) => () => change(held, n)),
      async () => {
        expect(await putEntry(kv.deps, putInput(other, 'new', 'x'))).toMatchObject({ created: true });
        expect(await increment(other, 'count')).toMatchObject({ value: 1 });
        expect(await removeEntry(kv.deps, { ...other, ownerHash: OWNER, key: 'new', ifMatch: null })).toEqual(
          {},
        );
      },
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    expect(kv.deps.turns.rows).toBe(0);
  },
);
