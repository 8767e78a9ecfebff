import { expect, test } from 'bun:test';
import { createHtml } from '../../services/content/operations/html.ts';
import { renewItem } from '../../services/content/operations/renew-item.ts';
import { changeEntry } from '../../services/kv/operations/change-entry.ts';
import { findItem } from '../../shared/items/item-repository.ts';
import { WAITING_FOR_A_ROW } from '../../shared/items/item-turns.ts';
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

test('who wants a taken address, or repeats a create, does not wait for changes of the item that is there', async () => {
  const { deps } = content;
  const input = await content.createInput('<p>taken', { id: 'taken' });
  const { item } = await createHtml(deps, input, soon());
  const another = await content.createInput('<p>another', { id: 'taken' });
  await deps.sql.begin(async (tx) => {
    await tx`select from items where namespace = ${item.namespace} and id = ${item.id} for update`;
    await expect(createHtml(deps, another, soon())).rejects.toMatchObject({ code: 'ID_TAKEN' });
    expect(await createHtml(deps, input, soon())).toMatchObject({ item: { code: item.code } });
  });
});

test('of many who want the address of an expired item at once one gets it', async () => {
  const { deps, time } = content;
  const create = async () =>
    await createHtml(deps, await content.createInput('<p>next', { id: 'expired' }), soon());
  const { item } = await create();
  const before = time.now;
  time.now = item.expiresAt;
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, create));
  time.now = before;
  const made = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value.item : []));
  expect(made).toHaveLength(1);
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toMatchObject(Array.from({ length: 19 }, () => ({ reason: { code: 'ID_TAKEN' } })));
  expect(await findItem(deps.sql, item)).toMatchObject({ code: made[0]?.code });
});

type Store = Awaited<ReturnType<typeof kv.store>>;

const increment = ({ namespace, id }: Store, key: string, client = 'client') => {
  const input = { namespace, id, ownerHash: OWNER, key, ifMatch: null, ifAbsent: false, idempotency: null };
  return changeEntry(kv.deps, { ...input, change: { kind: 'increment', by: 1 } }, { ...soon(), client });
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

/** Increments keys that the held store does not have, and goes on when those of each client wait for their turns. */
async function incrementNew(held: Store, keys: Array<[client: string, key: string]>) {
  const counter = await kv.store({ entry: { key: 'count', value: '0', sizeBytes: 1 } });
  const made = Promise.allSettled(
    keys.map(async ([client, key]) => ({ client, ...(await increment(held, key, client)) })),
  );
  // The last change of each client: the ones before it have been looked at.
  const clients = new Set(keys.map(([client]) => client));
  await Promise.all([...clients].map((client) => increment(counter, 'count', client)));
  return { made };
}

const newKeys = (client: string, count: number): Array<[client: string, key: string]> =>
  Array.from({ length: count }, (_, n) => [client, `${client}-${n}`]);

test('as many changes that make keys wait for each of several clients as may wait for one', async () => {
  const held = await kv.store();
  const keys = ['a', 'b', 'c'].flatMap((client) => newKeys(client, 250));
  expect(keys.length).toBeGreaterThan(WAITING_FOR_A_ROW / 2 + 1);
  const { made } = await kv.deps.sql.begin(async (tx) => {
    await lockStore(held, tx);
    return await incrementNew(held, keys);
  });
  expect(statusesOf(await made)).toEqual(['fulfilled']);
  expect(await kv.stored(held)).toHaveLength(1 + keys.length);
  expect(kv.deps.turns.rows).toBe(0);
});

test('a change that makes a key goes before those that another client has waiting, also where both make one key', async () => {
  const held = await kv.store();
  const { many, one } = await kv.deps.sql.begin(async (tx) => {
    await lockStore(held, tx);
    const { made: many } = await incrementNew(held, newKeys('many', MANY));
    const { made: one } = await incrementNew(held, [
      ['one', 'one-0'],
      ['one', `many-${MANY - 1}`],
    ]);
    return { many, one };
  });
  const done = [...(await many), ...(await one)].flatMap((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value : [],
  );
  const order = done.toSorted((a, b) => a.entry.sequence - b.entry.sequence).map(({ client }) => client);
  expect(order).toHaveLength(MANY + 2);
  // The first had its turn when those of the other client came.
  expect([order[0], order.slice(0, 10).filter((client) => client === 'one')]).toEqual([
    'many',
    ['one', 'one'],
  ]);
  expect(await kv.stored(held)).toContainEqual(
    expect.objectContaining({ key: `many-${MANY - 1}`, value: '2' }),
  );
});
