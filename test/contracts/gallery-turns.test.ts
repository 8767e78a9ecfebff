import { expect, test } from 'bun:test';
import { createGalleryLists } from '../../services/content/operations/list-gallery.ts';
import { systemClock } from '../../shared/clock.ts';
import { steadyNow } from '../../shared/deadline.ts';
import { useGalleryDatabase } from './gallery-database.ts';

const gallery = useGalleryDatabase();
const LONG_MS = 60_000;
const RUNNING = 2;
/** Half of the twenty places. */
const SHARE = 10;

type Search = (client: string, limitMs?: number) => Promise<number>;

/** Lets clients search while the database holds all searches up; those that are left are answered afterwards. */
async function whileSearchesWait(
  work: (search: Search) => Promise<{ left: Array<Promise<number>> }>,
): Promise<number[]> {
  const { sql, loadShedding } = gallery;
  await using _ = await gallery.put({ id: 'found', title: 'word' });
  const lists = createGalleryLists({ sql, loadShedding, clock: systemClock });
  const filter = { search: 'word', kind: null, tag: null, sort: 'date', offset: 0, limit: 1 } as const;
  const search = async (client: string, limitMs = LONG_MS): Promise<number> => {
    const context = { requestId: 'test', client, deadline: steadyNow() + limitMs };
    const { total } = await lists.listed(filter, context);
    return total;
  };
  const { left } = await sql.begin(async (tx) => {
    await tx`lock table items in access exclusive mode`;
    return await work(search);
  });
  return await Promise.all(left);
}

test('a client may have half of the places that wait; another finds one, and goes before the rest of them', async () => {
  const ended: string[] = [];
  const totals = await whileSearchesWait(async (search) => {
    const ask = (client: string) => search(client).finally(() => ended.push(client));
    const left = Array.from({ length: RUNNING + SHARE }, () => ask('heavy'));
    await expect(search('heavy')).rejects.toMatchObject({ code: 'UNAVAILABLE', isRefusal: true });
    return { left: [...left, ask('light')] };
  });
  expect(totals).toEqual(Array(RUNNING + SHARE + 1).fill(1));
  expect(ended.indexOf('light')).toBeLessThanOrEqual(RUNNING + 1);
});

test('a search waits for its turn until its deadline, and is not begun after it', async () => {
  const totals = await whileSearchesWait(async (search) => {
    await expect(search('late', 0)).rejects.toMatchObject({ code: 'TIMEOUT' });
    const left = Array.from({ length: RUNNING }, () => search('first'));
    await expect(search('late', 20)).rejects.toMatchObject({ code: 'TIMEOUT' });
    return { left };
  });
  expect(totals).toEqual([1, 1]);
});
