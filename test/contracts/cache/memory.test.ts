import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nanoid } from 'nanoid';
import pino from 'pino';
import { createMemoryCache } from '../../../shared/adapters/cache/memory.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import { temporaryFolder } from '../../servers.ts';
import { freshItem, liveRecord, removedRecord, until } from './fixtures.ts';

setDefaultTimeout(60_000);
const ERROR_LEVEL = 50;
let folder: string;
let snapshotFile: string;
let now: number;
let said: Array<{ level: number; msg: string }>;
const log = pino({}, { write: (line: string) => void said.push(JSON.parse(line)) });
const open = (snapshotEveryMs = 60_000): Promise<Cache> =>
  createMemoryCache({ clock: { now: () => now }, log, snapshotFile, snapshotEveryMs });

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => {
  snapshotFile = join(folder, nanoid(), 'views.json');
  now = Date.now();
  said = [];
});

test('counters outlive a close, records do not', async () => {
  const item = freshItem();
  const before = await open();
  await before.putRecord(liveRecord(item));
  for (let round = 0; round < 3; round++) await before.visit(item, true);
  await before.close();

  const after = await open();
  expect((await after.visit(item, true)).record).toBeNull();
  await after.putRecord(liveRecord(item));
  expect((await after.visit(item, true)).views).toBe(4);
  await after.close();
  expect(said).toEqual([]);
});

test('what was removed, and what has ended, is not counted on after a restart', async () => {
  const [removed, ended, extended] = [freshItem(), freshItem(), freshItem()];
  const before = await open();
  for (const item of [removed, ended, extended]) {
    await before.putRecord(liveRecord(item, { expiresAt: now + 1_000 }));
    await before.visit(item, true);
  }
  await before.close();
  const between = await open();
  await between.putRecord(removedRecord(removed, 2));
  await between.putRecord(liveRecord(extended, { version: 2, expiresAt: now + 9_000 }));
  await between.close();

  now += 2_000;
  const after = await open();
  for (const item of [removed, ended, extended]) {
    await after.putRecord(liveRecord(item, { version: 3, expiresAt: now + 1_000 }));
  }
  expect((await after.visit(removed, true)).views).toBe(1);
  expect((await after.visit(ended, true)).views).toBe(1);
  expect((await after.visit(extended, true)).views).toBe(2);
  await after.close();
});

test('an item at the address of one that was removed does not go on with its views, also after a crash', async () => {
  const item = freshItem();
  const before = await open(20);
  await before.putRecord(liveRecord(item, { code: 'removed' }));
  for (let round = 0; round < 5; round++) await before.visit(item, true);
  await until(async () => (await readFile(snapshotFile, 'utf8').catch(() => '')).includes('"views":5'));
  const crashed = await readFile(snapshotFile, 'utf8');
  await before.putRecord(removedRecord(item, 2));
  await before.close();
  await writeFile(snapshotFile, crashed);

  const after = await open();
  await after.putRecord(liveRecord(item, { version: 3, code: 'another' }));
  expect((await after.visit(item, true)).views).toBe(1);
  await after.close();

  // The one that is counted there goes on.
  await writeFile(snapshotFile, crashed);
  const again = await open();
  await again.putRecord(liveRecord(item, { code: 'removed' }));
  expect((await again.visit(item, true)).views).toBe(6);
  await again.close();
});

const WHOLE = '[["public/a",{"views":3,"expiresAt":99999999999999}]]';
test.each([
  ['torn', WHOLE.slice(0, 30)],
  ['empty', ''],
  ['not a list', '{}'],
  ['null', 'null'],
  ['a list of something else', '[["public/a",3]]'],
  ['without numbers', '[["public/a",{"views":"3","expiresAt":null}]]'],
  ['binary', '\0\0\0\0'],
])('a snapshot that is %s starts at zero and says so', async (_what, text) => {
  await mkdir(join(snapshotFile, '..'), { recursive: true });
  await writeFile(snapshotFile, text);
  const item = { namespace: 'public', id: 'a' };
  const cache = await open();
  expect(said).toMatchObject([
    { level: ERROR_LEVEL, msg: expect.stringContaining('counting starts at zero') },
  ]);
  expect(await cache.countViews(item, 1)).toBe(1);
  await cache.close();
  const after = await open();
  expect(await after.countViews(item, 1)).toBe(2);
  await after.close();
});

test('a snapshot that cannot be read starts at zero and says so', async () => {
  await mkdir(snapshotFile, { recursive: true });
  const cache = await open();
  expect(said).toMatchObject([{ level: ERROR_LEVEL }]);
  await cache.close();
});

test('a snapshot that cannot be written is tried again', async () => {
  const item = freshItem();
  const cache = await open(10);
  await mkdir(snapshotFile, { recursive: true });
  await cache.countViews(item, 1);
  await until(async () => said.length > 0);
  expect(said[0]).toMatchObject({ level: ERROR_LEVEL, msg: expect.stringContaining('could not be saved') });
  await rm(snapshotFile, { recursive: true });
  await until(async () => (await readFile(snapshotFile, 'utf8').catch(() => '')).includes(item.id));
  await cache.close();
});

test('snapshots taken while counting are whole, and the last one has every view', async () => {
  const items = Array.from({ length: 50 }, freshItem);
  const cache = await open(5);
  for (const item of items) await cache.putRecord(liveRecord(item));
  let snapshots = 0;
  for (let round = 0; round < 40; round++) {
    for (const item of items) await cache.visit(item, true);
    await Bun.sleep(2);
    const text = await readFile(snapshotFile, 'utf8').catch(() => null);
    if (text === null) continue;
    expect(JSON.parse(text)).toHaveLength(items.length);
    snapshots++;
  }
  expect(snapshots).toBeGreaterThan(0);
  await cache.close();
  const after = await open();
  for (const item of items) expect(await after.countViews(item, 1)).toBe(41);
  await after.close();
});
