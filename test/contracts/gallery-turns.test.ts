import { expect, test } from 'bun:test';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createGalleryLists } from '../../services/content/operations/list-gallery.ts';
import { steadyNow } from '../../shared/deadline.ts';
import type { Database } from '../../shared/items/sql.ts';
import { useGalleryDatabase } from './gallery-database.ts';

const gallery = useGalleryDatabase();
const LONG_MS = 60_000;
const RUNNING = 2;
/** Half of the twenty places. */
const SHARE = 10;

type Search = (client: string, limitMs?: number) => Promise<number>;

/** The client whose search runs. */
const searching = new AsyncLocalStorage<string>();
/** Clients in the order in which their searches began. */
let begun: string[] = [];

/** Notes whose search asks for a transaction: that is when its turn has come, however long a connection takes to open. */
const noting = (sql: Database): Database =>
  new Proxy(sql, {
    get(target, name) {
      if (name === 'begin') begun.push(searching.getStore() ?? '');
      return Reflect.get(target, name);
    },
  });

/** Lets clients search while the database holds all searches up; those that are left are answered afterwards. */
async function whileSearchesWait(
  work: (search: Search) => Promise<{ left: Array<Promise<number>> }>,
): Promise<number[]> {
  const { sql, loadShedding } = gallery;
  await using _ = await gallery.put({ id: 'found', title: 'word' });
  const lists = createGalleryLists({ sql: noting(sql), loadShedding, clock: Date });
  begun = [];
  const filter = { search: 'word', kind: null, tag: null, sort: 'date', offset: 0, limit: 1 } as const;
  const search = async (client: string, limitMs = LONG_MS): Promise<number> => {
    const context = { requestId: 'test', client, deadline: steadyNow() + limitMs };
    const { total } = await searching.run(client, () => lists.listGallery(filter, context));
    return total;
  };
  const { left } = await sql.begin(async (tx) => {
    await tx`lock table items in access exclusive mode`;
    return await work(search);
  });
  return await Promise.all(left);
}

test('a client may have half of the places that wait; another finds one, and goes before the rest of them', async () => {
  const totals = await whileSearchesWait(async (search) => {
    const left = Array.from({ length: RUNNING + SHARE }, () => search('heavy'));
    await expect(search('heavy')).rejects.toMatchObject({ code: 'UNAVAILABLE', isRefusal: true });
    return { left: [...left, search('light')] };
  });
  expect(totals).toEqual(Array(RUNNING + SHARE + 1).fill(1));
  expect(begun).toEqual([...Array(RUNNING).fill('heavy'), 'light', ...Array(SHARE).fill('heavy')]);
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
