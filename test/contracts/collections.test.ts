import { describe, expect, test } from 'bun:test';
import { createFile } from '../../services/content/operations/create-file.ts';
import { createJson, updateJson } from '../../services/content/operations/json.ts';
import type { CreateInput } from '../../shared/contracts/create.ts';
import { countItems } from '../../shared/items/collections.ts';
import type { ItemRef, Kind } from '../../shared/items/item.ts';
import { removeItem } from '../../shared/items/remove-item.ts';
import { soon } from '../call-context.ts';
import { startContentOperations } from '../faults/content-operations.ts';
import { useStarted } from '../started.ts';

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);

type Changes = Partial<CreateInput>;

async function inputOf(changes: Changes) {
  const input: CreateInput = {
    namespace: 'public',
    id: null,
    ownerHash: 'owner',
    passwordHash: null,
    tags: [],
    ttlDays: 1,
    title: null,
    idempotency: { key: crypto.randomUUID(), fingerprint: 'the same' },
    ...changes,
  };
  return { ...input, blob: await content.store('{}') };
}

interface Collection {
  kind: Kind;
  limit: number;
  create(changes: Changes): Promise<ItemRef>;
}

/** Specification, chapter 24: what fills up, and when it is full. */
const COLLECTIONS: [documents: Collection, files: Collection] = [
  {
    kind: 'json',
    limit: 10_000,
    async create(changes) {
      return (await createJson(content.deps, { ...(await inputOf(changes)), excerpt: '{}' }, soon())).item;
    },
  },
  {
    kind: 'file',
    limit: 1_000,
    async create(changes) {
      const file = { filename: 'a.png', contentType: 'image/png', family: 'image', language: null } as const;
      return (await createFile(content.deps, { ...(await inputOf(changes)), ...file }, soon())).item;
    },
  },
];

let filled = 0;

/** Puts so many items into a collection. They expire when the clock says so. */
async function fill(
  { kind }: Collection,
  place: { namespace: string; ownerHash: string },
  count: number,
  expiresAt?: number,
) {
  const { deps, time } = content;
  const { namespace, ownerHash } = place;
  const prefix = `fill${++filled}-`;
  await deps.sql`
    insert into items (namespace, id, kind, code, owner_hash, title, ttl_days, size_bytes, content,
                       created_at, updated_at, expires_at)
    select ${namespace}, ${prefix} || n, ${kind}, ${prefix} || n, ${ownerHash}, '', 1, 2, '{}',
           ${time.now}::timestamptz, ${time.now}::timestamptz, ${expiresAt ?? time.now + 86_400_000}::timestamptz
    from generate_series(1, ${count}::int) as n`;
}

/** Live items of a kind in a namespace, of one owner or of all. */
async function countOf({ kind }: Collection, namespace: string, ownerHash?: string): Promise<number> {
  const { deps, time } = content;
  if (ownerHash !== undefined) return await countItems(deps.sql, { kind, namespace, ownerHash }, time.now);
  const [row] = await deps.sql<Array<{ count: number }>>`
    select count(*)::int as count from items
    where kind = ${kind} and namespace = ${namespace} and expires_at > ${time.now}`;
  return row?.count ?? 0;
}

/** Runs several creates at once. Returns the items that were made; all other creates must have met the limit. */
async function createAtOnce({ create }: Collection, times: number, changes: (n: number) => Changes) {
  const outcomes = await Promise.allSettled(Array.from({ length: times }, (_, n) => create(changes(n))));
  const made: ItemRef[] = [];
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') made.push(outcome.value);
    else expect(outcome.reason).toMatchObject({ code: 'LIMIT_REACHED' });
  }
  return made;
}

const full = { code: 'LIMIT_REACHED' };
let spaces = 0;
const freshNamespace = () => `collection-${++spaces}`;

describe.each(COLLECTIONS)('a collection of kind $kind', (collection) => {
  const { kind, limit, create } = collection;

  test('in a namespace is full with all owners together, exactly', async () => {
    const namespace = freshNamespace();
    await fill(collection, { namespace, ownerHash: 'one' }, limit / 2);
    await fill(collection, { namespace, ownerHash: 'other' }, limit / 2 - 5);
    const made = await createAtOnce(collection, 50, (n) => ({ namespace, ownerHash: `owner ${n}` }));
    expect(made).toHaveLength(5);
    expect(await countOf(collection, namespace)).toBe(limit);
    for (const ownerHash of ['one', 'new'])
      await expect(create({ namespace, ownerHash })).rejects.toMatchObject(full);
    await create({ namespace: freshNamespace(), ownerHash: 'one' });
    expect((await content.audit()).forgotten).toEqual([]);
  });

  test('in public is full for each owner, exactly', async () => {
    const [mine, yours] = [`mine ${kind}`, `yours ${kind}`];
    await fill(collection, { namespace: 'public', ownerHash: mine }, limit - 5);
    const made = await createAtOnce(collection, 50, (n) => ({ ownerHash: n % 2 === 0 ? mine : yours }));
    expect(made).toHaveLength(5 + 25);
    expect(await countOf(collection, 'public', mine)).toBe(limit);
    expect(await countOf(collection, 'public', yours)).toBe(25);
    await expect(create({ ownerHash: mine })).rejects.toMatchObject(full);
    await create({ ownerHash: mine, namespace: freshNamespace() });
  });

  test('takes all that fits and no more, from the last place on', async () => {
    const place = { namespace: freshNamespace(), ownerHash: 'owner' };
    await fill(collection, place, limit - 1);
    await create(place);
    await expect(create(place)).rejects.toMatchObject(full);
    await expect(create({ ...place, id: 'chosen' })).rejects.toMatchObject(full);
    expect(await countOf(collection, place.namespace)).toBe(limit);
  });

  test('has no room taken by items of another kind', async () => {
    const place = { namespace: freshNamespace(), ownerHash: 'owner' };
    for (const other of COLLECTIONS) if (other.kind !== kind) await fill(other, place, other.limit);
    expect(await createAtOnce(collection, 10, () => place)).toHaveLength(10);
  });

  test('does not count what has expired, swept or not', async () => {
    const { time } = content;
    const place = { namespace: freshNamespace(), ownerHash: 'owner' };
    await fill(collection, place, limit - 3);
    await fill(collection, place, 3, time.now + 1_000);
    await expect(create(place)).rejects.toMatchObject(full);
    time.now += 999;
    await expect(create(place)).rejects.toMatchObject(full);
    time.now += 1;
    expect(await createAtOnce(collection, 20, () => place)).toHaveLength(3);
    expect(await countOf(collection, place.namespace)).toBe(limit);
  });

  test('has room again once something is removed', async () => {
    const place = { namespace: freshNamespace(), ownerHash: 'owner' };
    await fill(collection, place, limit - 2);
    const [first] = await createAtOnce(collection, 10, () => place);
    if (first === undefined) throw new Error('two of ten are made');
    await removeItem(content.deps, { kind, ...place, id: first.id }, soon());
    expect(await createAtOnce(collection, 10, () => place)).toHaveLength(1);
    expect(await countOf(collection, place.namespace)).toBe(limit);
  });

  test('gives a repeated create of its last item that item, also when it is full', async () => {
    const place = { namespace: freshNamespace(), ownerHash: 'owner' };
    await fill(collection, place, limit - 1);
    const idempotency = { key: crypto.randomUUID(), fingerprint: 'the last' };
    const made = await createAtOnce(collection, 50, () => ({ ...place, idempotency }));
    expect(made).toHaveLength(50);
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    await expect(create(place)).rejects.toMatchObject(full);
    const again = await create({ ...place, idempotency });
    expect(again).toMatchObject({ namespace: place.namespace, id: made[0]?.id ?? '' });
    expect(await countOf(collection, place.namespace)).toBe(limit);
    const other = { key: idempotency.key, fingerprint: 'another request' };
    await expect(create({ ...place, idempotency: other })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
  });

  test('of creates and removals at once never holds more than it may', async () => {
    const place = { namespace: freshNamespace(), ownerHash: 'owner' };
    await fill(collection, place, limit - 10);
    const created = await createAtOnce(collection, 10, () => place);
    const removals = created.map(({ id }) => removeItem(content.deps, { kind, ...place, id }, soon()));
    const [made] = await Promise.all([createAtOnce(collection, 40, () => place), ...removals]);
    const count = await countOf(collection, place.namespace);
    expect(count).toBe(limit - 10 + made.length);
    expect(count).toBeLessThanOrEqual(limit);
    await createAtOnce(collection, 20, () => place);
    expect(await countOf(collection, place.namespace)).toBe(limit);
  });
});

test('a document of a full collection can still be replaced', async () => {
  const [documents] = COLLECTIONS;
  const place = { namespace: freshNamespace(), ownerHash: 'owner' };
  await fill(documents, place, documents.limit - 1);
  const { id } = await documents.create(place);
  const blob = await content.store('{"new":true}');
  const updated = await updateJson(content.deps, { ...place, id, blob, excerpt: '', ifMatch: null }, soon());
  expect(updated).toMatchObject({ id, sizeBytes: 12 });
});
