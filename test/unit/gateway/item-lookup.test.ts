import { expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createItemLookup } from '../../../services/gateway/items/item-lookup.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { createMemoryCache } from '../../../shared/adapters/cache/memory.ts';
import { systemClock } from '../../../shared/clock.ts';
import { resolveItem } from '../../../shared/contracts/content.ts';
import { handler, serve } from '../../../shared/contracts/serve.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import type { ItemRecord } from '../../../shared/items/item-record.ts';
import { freshItem, liveRecord, removedRecord } from '../../contracts/cache/fixtures.ts';

const log = pino({ level: 'silent' });
const context = { requestId: 'test', deadline: steadyNow() + 60_000 };

/** A lookup whose cache has one record and whose `content` says another; `given`: what it says first. */
async function lookupWith(cached: ItemRecord | null, truth: ItemRecord, given?: Promise<ItemRecord>) {
  const bus = createInProcessBus({ maxPayloadBytes: 1_048_576 });
  // Never closed, so nothing is written there.
  const snapshotFile = join(tmpdir(), crypto.randomUUID(), 'views');
  const cache = await createMemoryCache({ clock: systemClock, log, snapshotFile });
  let asked = 0;
  let first: Promise<ItemRecord> | undefined = given;
  const answer = handler(resolveItem, async () => {
    asked += 1;
    const record = first ?? truth;
    first = undefined;
    return { record: await record };
  });
  await serve(bus, 'test', [answer], log);
  if (cached !== null) await cache.putRecord(cached);
  return { lookup: createItemLookup(bus, cache, log), cache, asked: () => asked };
}

test('who reads is told what the cache knows, also of a removal', async () => {
  const item = freshItem();
  const { lookup, asked } = await lookupWith(removedRecord(item, 1), liveRecord(item, { version: 2 }));
  expect((await lookup.find(item, context)).record).toMatchObject({ state: 'removed', version: 1 });
  expect(asked()).toBe(0);
});

test('who changes an item meets the one that took the place of a removed one, and so do readers after that', async () => {
  const item = freshItem();
  const { lookup, asked } = await lookupWith(removedRecord(item, 1), liveRecord(item, { version: 2 }));
  expect((await lookup.findToChange(item, context, () => true)).record).toMatchObject({
    state: 'live',
    version: 2,
  });
  expect((await lookup.find(item, context)).record).toMatchObject({ state: 'live', version: 2 });
  expect(asked()).toBe(1);
});

test('what was removed is gone also for who changes it', async () => {
  const item = freshItem();
  const removed = removedRecord(item, 3);
  const { lookup } = await lookupWith(removed, removed);
  expect((await lookup.findToChange(item, context, () => true)).record).toMatchObject({
    state: 'removed',
    version: 3,
  });
});

test('who changes an item meets it also where the database has lost its removal, and so do readers after that', async () => {
  const item = freshItem();
  const { lookup, asked } = await lookupWith(removedRecord(item, 9), liveRecord(item, { version: 2 }));
  expect((await lookup.findToChange(item, context, () => true)).record).toMatchObject({
    state: 'live',
    version: 2,
  });
  expect((await lookup.find(item, context)).record).toMatchObject({ state: 'live', version: 2 });
  expect(asked()).toBe(1);
});

test('a removal that comes while the item is asked for stays', async () => {
  const item = freshItem();
  const early = Promise.withResolvers<ItemRecord>();
  const known = liveRecord(item, { version: 1, ownerHash: 'former' });
  const { lookup, cache } = await lookupWith(known, removedRecord(item, 3), early.promise);
  const changing = lookup.findToChange(item, context, () => false);
  await cache.putRecord(removedRecord(item, 3));
  early.resolve(liveRecord(item, { version: 2 }));
  expect((await changing).record).toMatchObject({ state: 'removed', version: 3 });
  expect((await lookup.find(item, context)).record).toMatchObject({ state: 'removed', version: 3 });
});

test('of an item that the cache has nobody is asked', async () => {
  const item = freshItem();
  const live = liveRecord(item, { version: 1 });
  const { lookup, asked } = await lookupWith(live, live);
  expect((await lookup.findToChange(item, context, () => true)).record).toMatchObject({
    state: 'live',
    version: 1,
  });
  expect(asked()).toBe(0);
});

test('what the cache has and is not expected is asked for: the address may have been taken again', async () => {
  const item = freshItem();
  const { lookup } = await lookupWith(
    liveRecord(item, { version: 1, ownerHash: 'former' }),
    liveRecord(item, { version: 3, ownerHash: 'owner' }),
  );
  const isOwn = ({ ownerHash }: { ownerHash: string }) => ownerHash === 'owner';
  expect((await lookup.findToChange(item, context, isOwn)).record).toMatchObject({ version: 3 });
  expect((await lookup.findToChange(item, context, () => false)).record).toMatchObject({ version: 3 });
});

test('who changes an item joins no question of a reader, which may be older than the item', async () => {
  const item = freshItem();
  const early = Promise.withResolvers<ItemRecord>();
  const { lookup } = await lookupWith(null, liveRecord(item, { version: 2 }), early.promise);
  const reading = lookup.find(item, context);
  const changing = await lookup.findToChange(item, context, () => true);
  expect(changing.record).toMatchObject({ state: 'live', version: 2 });
  early.resolve(removedRecord(item, 1));
  // The cache has got the newer one meanwhile.
  expect((await reading).record).toMatchObject({ state: 'live', version: 2 });
});

test('a reader who waits for the call of one with little time left is answered all the same', async () => {
  const item = freshItem();
  const early = Promise.withResolvers<ItemRecord>();
  const { lookup, asked } = await lookupWith(null, liveRecord(item), early.promise);
  const hurried = lookup.find(item, { requestId: 'hurried', deadline: steadyNow() + 50 });
  const reading = lookup.find(item, context);
  await expect(hurried).rejects.toMatchObject({ code: 'TIMEOUT' });
  early.resolve(liveRecord(item));
  expect((await reading).record).toMatchObject({ state: 'live' });
  expect(asked()).toBe(2);
});

test('a record whose content is gone is forgotten where another is known, also one that is older', async () => {
  const item = freshItem();
  const stale = liveRecord(item, { version: 9 });
  const { lookup, asked } = await lookupWith(stale, liveRecord(item, { version: 2 }));
  expect(await lookup.forgetIfStale(stale, context)).toBe(true);
  expect((await lookup.find(item, context)).record).toMatchObject({ version: 2 });
  expect(asked()).toBe(2);
});

test('a reader of a record that was replaced meanwhile tries again, and the newer one stays', async () => {
  const item = freshItem();
  const current = liveRecord(item, { version: 2 });
  const { lookup, asked } = await lookupWith(current, current);
  expect(await lookup.forgetIfStale(liveRecord(item, { version: 1 }), context)).toBe(true);
  expect((await lookup.find(item, context)).record).toMatchObject({ version: 2 });
  expect(asked()).toBe(1);
});

test('one that is as it should be stays: another try would be in vain', async () => {
  const item = freshItem();
  const current = liveRecord(item, { version: 2 });
  const { lookup, asked } = await lookupWith(current, current);
  expect(await lookup.forgetIfStale(current, context)).toBe(false);
  await lookup.find(item, context);
  expect(asked()).toBe(1);
});
