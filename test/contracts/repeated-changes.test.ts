import { expect, test } from 'bun:test';
import type { ContentDependencies } from '../../services/content/dependencies.ts';
import { claimDomain, removeDomain } from '../../services/content/operations/domains.ts';
import { setDeliveryMode } from '../../services/content/operations/hosting.ts';
import { createHtml } from '../../services/content/operations/html.ts';
import { takeDownMany } from '../../services/content/operations/take-down-many.ts';
import { setItemDomain } from '../../services/content/repository/domains.ts';
import { contentPasses } from '../../services/content/sweep/passes.ts';
import { findItem, toItemRecord } from '../../shared/items/item-repository.ts';
import { soon } from '../call-context.ts';
import { type CreateInput, startContentOperations } from '../faults/content-operations.ts';
import { useStarted } from '../started.ts';

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);

/** Dependencies of a process that dies between its commit and its announcement. */
const dying = (): ContentDependencies => {
  const { cache } = content.deps;
  const deaf = new Proxy(cache, {
    get: (target, name) => (name === 'putRecord' ? async () => true : Reflect.get(target, name)),
  });
  return { ...content.deps, cache: deaf };
};

async function published() {
  const input = await content.createInput(`<p>${crypto.randomUUID()}`);
  const { item } = await createHtml(content.deps, input, soon());
  return { namespace: item.namespace, id: item.id, ownerHash: input.ownerHash };
}

const cached = async (item: { namespace: string; id: string }) =>
  (await content.deps.cache.visit(item, false)).record;

test('a change of hosting that is repeated after a death is refused, and everybody hears of it', async () => {
  const owned = await published();
  const change = {
    ...owned,
    kind: 'html' as const,
    deliveryMode: 'path' as const,
    expectedVersion: 1,
    labelled: false,
  };
  await setDeliveryMode(dying(), change, soon());
  expect(await cached(owned)).not.toMatchObject({ hostingVersion: 2 });
  await expect(setDeliveryMode(content.deps, change, soon())).rejects.toMatchObject({
    code: 'HOSTING_CHANGED',
  });
  expect(await cached(owned)).toMatchObject({ hostingVersion: 2 });
});

test('a claim and the end of one that are repeated after a death are told', async () => {
  const { deps } = content;
  const owned = await published();
  await claimDomain(deps, { ...owned, domain: 'one.example.org' }, soon());
  const item = await findItem(deps.sql, owned);
  if (item === null) throw new Error('the item is missing');
  const holding = await deps.sql.begin((tx) => setItemDomain(tx, item, 'one.example.org', deps.clock.now()));
  await deps.cache.putRecord(toItemRecord(holding));

  const another = { ...owned, domain: 'two.example.org' };
  await claimDomain(dying(), another, soon());
  expect(await cached(owned)).toMatchObject({ domain: 'one.example.org' });
  expect(await claimDomain(deps, another, soon())).toMatchObject({ isNew: false });
  expect(await cached(owned)).not.toMatchObject({ domain: 'one.example.org' });

  await removeDomain(dying(), owned, soon());
  expect(await removeDomain(deps, owned, soon())).toEqual({ removed: false });
});

test('a takedown that finds nothing more has the repair pass look', async () => {
  let missed = 0;
  const deps = { ...content.deps, announcementMissed: () => missed++ };
  const actor = { clientIp: '192.0.2.1', via: 'api' as const, note: null };
  const target = { by: 'owner' as const, value: 'nobody' };
  const takedown = { target, limit: 1, reason: 'Again.', blockContent: false, actor };
  expect(await takeDownMany(deps, takedown, soon())).toMatchObject({ removed: 0, left: 0 });
  expect(missed).toBe(1);
});

const DAY_MS = 86_400_000;

const REPEATS: Record<string, (input: CreateInput) => Partial<CreateInput>> = {
  'under one idempotency key': ({ idempotency }) => ({ idempotency, namespace: 'private' }),
  'of the bytes of a public page by its owner': () => ({ ownerKnown: true }),
};

test.each(Object.keys(REPEATS))(
  'creates %s make one page within 24 hours, and another one later',
  async (repeat) => {
    const { deps, time } = content;
    const text = `<p>${crypto.randomUUID()}`;
    const first = await content.createInput(text);
    const changes = { ...REPEATS[repeat]?.(first), ownerHash: crypto.randomUUID(), ttlDays: 5 };
    const create = async () =>
      (await createHtml(deps, await content.createInput(text, changes), soon())).item.id;
    const sweep = async () => {
      for (const [, pass] of contentPasses(deps)) await pass({ urgent: true, intervalMs: 60_000 });
    };
    const id = await create();
    time.now += DAY_MS - 1;
    await sweep();
    expect(await create()).toBe(id);
    time.now += 2;
    await sweep();
    expect(await create()).not.toBe(id);
  },
);

test('an equal post finds a page that existed, and another attempt at its create finds the one that it has made', async () => {
  const { deps } = content;
  const text = `<p>${crypto.randomUUID()}`;
  const ownerHash = crypto.randomUUID();
  for (const changes of [{ ownerHash, ownerKnown: true }, { namespace: 'private' }]) {
    const input = await content.createInput(text, changes);
    const made = await createHtml(deps, input, soon());
    expect(made.existing).toBe(false);
    expect(await createHtml(deps, input, soon())).toEqual(made);
  }
  const equal = await content.createInput(text, { ownerHash, ownerKnown: true });
  expect(await createHtml(deps, equal, soon())).toMatchObject({ existing: true });
});
