import { expect, test } from 'bun:test';
import { createHtml } from '../../services/content/operations/html.ts';
import { renewItem } from '../../services/content/operations/renew-item.ts';
import { expireItems } from '../../services/content/sweep/expire-items.ts';
import type { ItemRef } from '../../shared/items/item.ts';
import { findItem } from '../../shared/items/item-repository.ts';
import { repairRecords } from '../../shared/items/repair-records.ts';
import type { Round } from '../../shared/sweep/sweeper.ts';
import { soon } from '../call-context.ts';
import { removeHtml, startContentOperations, withCacheAway } from '../faults/content-operations.ts';
import { useStarted } from '../started.ts';

const DAY_MS = 86_400_000;
const URGENT: Round = { urgent: true, intervalMs: 60_000 };

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);

interface Owned extends ItemRef {
  ownerHash: string;
}

async function publish(ttlDays: number): Promise<Owned> {
  const input = await content.createInput(`<p>${crypto.randomUUID()}`, { ttlDays });
  const { item } = await createHtml(content.deps, input, soon());
  return { namespace: item.namespace, id: item.id, ownerHash: input.ownerHash };
}

const renew = ({ namespace, id, ownerHash }: Owned, ttlDays: number | null, deps = content.deps) =>
  renewItem(deps, { namespace, id, ownerHash, ttlDays }, soon());

/** When the item ends, as the database and as the cache have it. */
async function ends(item: ItemRef): Promise<[database: number | undefined, cache: number | undefined]> {
  const row = await findItem(content.deps.sql, item);
  const { record } = await content.deps.cache.visit(item, false);
  return [row?.expiresAt, record?.expiresAt];
}

test('a renewal that the cache missed is told by the next repair pass', async () => {
  const { deps, time } = content;
  const item = await publish(5);
  await repairRecords(deps, URGENT);
  // An hour later no repair pass tells of the create any more.
  time.now += 3_600_000;
  await repairRecords(deps, URGENT);
  let missed = 0;
  const { expiresAt } = await renew(item, 9, { ...withCacheAway(deps), announcementMissed: () => missed++ });
  expect([expiresAt, missed]).toEqual([time.now + 9 * DAY_MS, 1]);
  expect(await ends(item)).toEqual([expiresAt, time.now - 3_600_000 + 5 * DAY_MS]);
  await repairRecords(deps, URGENT);
  expect(await ends(item)).toEqual([expiresAt, expiresAt]);
  const row = await findItem(deps.sql, item);
  expect([row?.ttlDays, row?.updatedAt]).toEqual([9, time.now - 3_600_000]);
});

test('of renewals at once one stands, in the database and in the cache', async () => {
  const item = await publish(5);
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((days) => renew(item, days)));
    const [database, cache] = await ends(item);
    expect(cache).toBe(database);
    expect(answers.map(({ expiresAt }) => expiresAt)).toContain(database ?? 0);
  }
});

test('a renewal and a removal at once leave no item, and no record of it', async () => {
  for (let round = 0; round < 10; round++) {
    const item = await publish(5);
    const [renewal] = await Promise.allSettled([renew(item, 30), removeHtml(content.deps, item)]);
    if (renewal.status === 'rejected') expect(renewal.reason).toMatchObject({ code: 'NOT_FOUND' });
    expect(await findItem(content.deps.sql, item)).toBeNull();
    expect((await content.deps.cache.visit(item, false)).record?.state).toBe('removed');
  }
});

test('a renewal just before the end saves the item from the sweep; at the end it comes too late', async () => {
  const { deps, time } = content;
  const [saved, late] = [await publish(1), await publish(1)];
  time.now += DAY_MS - 1;
  await renew(saved, null);
  time.now += 1;
  await expect(renew(late, 30)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const [renewal] = await Promise.allSettled([renew(late, 30), expireItems(deps)]);
  expect(renewal).toMatchObject({ status: 'rejected', reason: { code: 'NOT_FOUND' } });
  // A sweep passes over a row that the renewal holds just then; the next one takes it.
  await expireItems(deps);
  expect(await findItem(deps.sql, late)).toBeNull();
  expect(await ends(saved)).toEqual([time.now - 1 + DAY_MS, time.now - 1 + DAY_MS]);
});

test('a renewal is for the owner, of what is there', async () => {
  const item = await publish(5);
  await expect(renew({ ...item, ownerHash: 'another' }, 1)).rejects.toMatchObject({
    code: 'OWNER_TOKEN_WRONG',
  });
  await expect(renew({ ...item, id: 'another' }, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
