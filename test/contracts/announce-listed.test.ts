import { afterAll, beforeEach, expect, test } from 'bun:test';
import pino from 'pino';
import { createAnnouncements } from '../../services/content/sweep/announce-listed.ts';
import { findItem, setItemVisibility } from '../../shared/items/item-repository.ts';
import { type Row, useGalleryDatabase } from './gallery-database.ts';

const gallery = useGalleryDatabase();

/** All that the endpoint was told, and the status that it answers with. */
let told: Array<{ host: string; key: string; keyLocation: string; urlList: string[] }> = [];
let status = 200;
const endpoint = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    told.push((await request.json()) as (typeof told)[number]);
    return new Response(null, { status });
  },
});
afterAll(() => endpoint.stop(true));

const KEY = 'a-key-of-a-test';
const MINUTE_MS = 60_000;
let now = gallery.now;

beforeEach(async () => {
  told = [];
  status = 200;
  now = gallery.now;
  await gallery.sql`delete from watermarks where name = 'index-now'`;
});

const announcements = () =>
  createAnnouncements(
    { sql: gallery.sql, clock: { now: () => now }, log: pino({ level: 'silent' }) },
    { endpoint: endpoint.url.href, key: KEY, itemsUrl: 'https://items.example' },
  );

const urlsTold = () => told.flatMap(({ urlList }) => urlList);
const itemsAt = (createdAt: number, ...ids: string[]): Row[] => ids.map((id) => ({ id, createdAt }));

test('what is listed or changed after the first round is announced once, in one batch, whoever takes it', async () => {
  await using _old = await gallery.put(...itemsAt(now - MINUTE_MS, 'old'));
  const [one, other] = [announcements(), announcements()];
  await one();
  now += 2 * MINUTE_MS;
  await using _new = await gallery.put(
    ...itemsAt(now - MINUTE_MS - 2, 'first'),
    ...itemsAt(now - MINUTE_MS - 1, 'second'),
  );
  await using _hidden = await gallery.put(
    { id: 'locked', passwordHash: 'hash', createdAt: now - MINUTE_MS - 1 },
    { id: 'team', namespace: 'team', createdAt: now - MINUTE_MS - 1 },
  );
  const batches = await Promise.all([one(), other()]);
  expect(batches.map(({ done }) => done).toSorted()).toEqual([0, 2]);
  expect(told).toEqual([
    {
      host: 'items.example',
      key: KEY,
      keyLocation: `https://items.example/${KEY}.txt`,
      urlList: ['https://items.example/public/first', 'https://items.example/public/second'],
    },
  ]);
  await one();
  await other();
  expect(told).toHaveLength(1);
});

test('what was hidden is announced when it is shown again, by the operator or after a scan', async () => {
  const { sql } = gallery;
  const announce = announcements();
  await announce();
  now += MINUTE_MS;
  await using _ = await gallery.put(...itemsAt(now, 'by-operator', 'by-scan', 'for-good'));
  const setHidden = async (id: string, hidden: boolean, decidedBy: 'operator' | 'scan') => {
    await sql.begin(async (tx) => {
      const item = await findItem(tx, { namespace: 'public', id }, true);
      if (item === null) throw new Error('the item is there');
      await setItemVisibility(tx, item, { hidden, quarantine: null }, now, decidedBy);
    });
  };
  for (const id of ['by-operator', 'by-scan', 'for-good']) await setHidden(id, true, 'operator');
  now += 2 * MINUTE_MS;
  await announce();
  expect(told).toEqual([]);
  await setHidden('by-scan', false, 'scan');
  now += 1;
  await setHidden('by-operator', false, 'operator');
  now += 2 * MINUTE_MS;
  await announce();
  expect(urlsTold()).toEqual([
    'https://items.example/public/by-scan',
    'https://items.example/public/by-operator',
  ]);
  // A look at what was not hidden shows nothing anew.
  await setHidden('by-scan', false, 'scan');
  now += 2 * MINUTE_MS;
  await announce();
  expect(told).toHaveLength(1);
});

test('what may still be committed for an earlier moment waits', async () => {
  const announce = announcements();
  await announce();
  now += MINUTE_MS;
  await using _ = await gallery.put(...itemsAt(now - 1, 'fresh'));
  await announce();
  expect(told).toEqual([]);
  now += MINUTE_MS;
  await announce();
  expect(urlsTold()).toEqual(['https://items.example/public/fresh']);
});

test('more than a batch comes in several, all of it once', async () => {
  const announce = announcements();
  await announce();
  now += 2 * MINUTE_MS;
  const rows = Array.from({ length: 1_200 }, (_, n) => ({
    id: `n${n}`,
    createdAt: now - MINUTE_MS - 2_000 + n,
  }));
  await using _ = await gallery.put(...rows);
  expect(await announce()).toEqual({ done: 1_000, more: true });
  expect(await announce()).toEqual({ done: 200, more: false });
  expect(new Set(urlsTold()).size).toBe(1_200);
});

test('a batch that fails is tried again later, and later each time; one that is refused is not', async () => {
  const announce = announcements();
  await announce();
  now += 2 * MINUTE_MS;
  await using _ = await gallery.put(...itemsAt(now - MINUTE_MS - 1, 'tried'));
  for (const failing of [503, 429]) {
    status = failing;
    await announce();
    const tries = told.length;
    await announce();
    expect(told).toHaveLength(tries);
    now += 5 * MINUTE_MS;
  }
  status = 202;
  expect(await announce()).toEqual({ done: 1, more: false });
  expect(told).toHaveLength(3);

  now += MINUTE_MS;
  await using __ = await gallery.put(...itemsAt(now - MINUTE_MS - 1, 'refused'));
  status = 403;
  await announce();
  now += 60 * MINUTE_MS;
  await announce();
  expect(told).toHaveLength(4);
});

test('an endpoint that is away breaks nothing', async () => {
  const announce = createAnnouncements(
    { sql: gallery.sql, clock: { now: () => now }, log: pino({ level: 'silent' }) },
    { endpoint: 'http://127.0.0.1:1/', key: KEY, itemsUrl: 'https://items.example' },
  );
  await announce();
  now += 2 * MINUTE_MS;
  await using _ = await gallery.put(...itemsAt(now - MINUTE_MS - 1, 'away'));
  expect(await announce()).toEqual({ done: 0, more: false });
});

test('items of one moment are announced together, also where they are more than a batch', async () => {
  const announce = announcements();
  await announce();
  now += 2 * MINUTE_MS;
  const ids = Array.from({ length: 1_001 }, (_, n) => `item-${n}`);
  await using _items = await gallery.put(...itemsAt(now - MINUTE_MS - 1, ...ids));
  expect(await announce()).toEqual({ done: 1_001, more: true });
  expect(urlsTold().length).toBe(1_001);
});
