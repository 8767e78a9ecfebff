import { expect, test } from 'bun:test';
import { createHtml } from '../../services/content/operations/html.ts';
import { hideItem } from '../../services/content/operations/publications.ts';
import type { ItemRef } from '../../shared/items/item.ts';
import { repairRecords } from '../../shared/items/repair-records.ts';
import { findTombstone } from '../../shared/items/tombstones.ts';
import { soon } from '../call-context.ts';
import { removeHtml, startContentOperations, withCacheAway } from '../faults/content-operations.ts';
import { useStarted } from '../started.ts';

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);

const URGENT = { urgent: true, intervalMs: 60_000 };
const HOUR_MS = 3_600_000;

async function publish(namespace = 'public'): Promise<ItemRef> {
  const input = await content.createInput(`<p>${crypto.randomUUID()}`, { namespace });
  const { item } = await createHtml(content.deps, input, soon());
  return { namespace: item.namespace, id: item.id };
}

const recordOf = async (item: ItemRef) => (await content.deps.cache.visit(item, false)).record;

test('a repair pass tells the cache of an item that was hidden while it was away', async () => {
  const { deps, time } = content;
  const item = await publish();
  await repairRecords(deps, URGENT);
  time.now += HOUR_MS;
  await repairRecords(deps, URGENT);
  const actor = { clientIp: '192.0.2.9', via: 'api', note: null } as const;
  await hideItem(withCacheAway(deps), { ...item, hidden: true, clientIp: '192.0.2.9', actor }, soon());
  expect(await recordOf(item)).not.toMatchObject({ hidden: true });
  await repairRecords(deps, URGENT);
  expect(await recordOf(item)).toMatchObject({ hidden: true });
});

test('a repeated removal tells the cache of the earlier one', async () => {
  const item = await publish();
  const removed = { ...item, ownerHash: 'owner' };
  await removeHtml(withCacheAway(content.deps), removed);
  expect(await recordOf(item)).toMatchObject({ state: 'live' });
  await expect(removeHtml(content.deps, removed)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await recordOf(item)).toMatchObject({ state: 'removed' });
});

test('a removal outside of the public namespace is remembered until a pass has told of it that began eleven minutes later', async () => {
  const { deps, time } = content;
  const [listed, hidden] = [await publish(), await publish('private')];
  const isRemembered = async (item: ItemRef) => (await findTombstone(deps.sql, item)) !== null;
  await repairRecords(deps, URGENT);
  for (const item of [listed, hidden]) await removeHtml(deps, { ...item, ownerHash: 'owner' });
  time.now += 11 * 60_000;
  // Each pass goes by the moment at which the one before it began.
  for (let pass = 0; pass < 2; pass++) {
    await repairRecords(deps, URGENT);
    expect(await isRemembered(hidden)).toBe(true);
  }
  time.now += 1;
  await repairRecords(deps, URGENT);
  expect(await isRemembered(hidden)).toBe(true);
  await repairRecords(deps, URGENT);
  expect([await isRemembered(hidden), await isRemembered(listed)]).toEqual([false, true]);
});
