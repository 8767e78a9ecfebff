import type { CallContext } from '../../../shared/call-context.ts';
import type {
  listGallery as contract,
  listOwnGallery as ownContract,
} from '../../../shared/contracts/gallery.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import { errors } from '../../../shared/errors.ts';
import { createFairSemaphore } from '../../../shared/fair-queue.ts';
import type { Database, Query } from '../../../shared/items/sql.ts';
import { limitStatements } from '../../../shared/items/statement-time.ts';
import type { LoadShedding } from '../../../shared/load-shedding.ts';
import { createFreshSingleFlight } from '../../../shared/single-flight.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { countListedItems } from '../gallery/listed-count.ts';
import { listListed, listOwn } from '../gallery/lists.ts';
import { searchListed } from '../gallery/search.ts';
import { parseSearch } from '../gallery/search-text.ts';
import type { GalleryFilter } from '../gallery/sql.ts';

type Page = ReplyOf<typeof contract>;

interface GalleryLists {
  /** Items of everybody that are in the gallery. */
  listGallery(input: InputOf<typeof contract>, context: CallContext): Promise<Page>;
  /** Items of one owner. */
  listOwnGallery(input: InputOf<typeof ownContract>, context: CallContext): Promise<Page>;
}

interface Dependencies extends Pick<ContentDependencies, 'sql' | 'clock'> {
  loadShedding: LoadShedding;
}

/** A search may look at tens of thousands of rows; the database has other work, too. A client may have half of the places. */
const SEARCHES = { atOnce: 2, waiting: 20 };

/**
 * PostgreSQL's `work_mem` for a search. With its default of 4 MB the bitmap of some 100,000 found rows becomes lossy: then
 * PostgreSQL compares every row of their pages with the words.
 */
const SEARCH_MEMORY = '32MB';

/** Runs a search in a transaction that has `SEARCH_MEMORY`, and in which no statement takes longer than the caller waits. */
async function inSearchTransaction(
  sql: Database,
  { deadline }: CallContext,
  search: (tx: Query) => Promise<Page>,
): Promise<Page> {
  return await sql.begin('read only', async (tx) => {
    const [, , page] = await Promise.all([
      limitStatements(tx, deadline - steadyNow()),
      tx`select set_config('work_mem', ${SEARCH_MEMORY}, true)`,
      search(tx),
    ]);
    return page;
  });
}

/** Lists the gallery a page at a time. A search without a word in it finds nothing. */
export function createGalleryLists({ sql, clock, loadShedding }: Dependencies): GalleryLists {
  // Many ask for the same count at once.
  const share = createFreshSingleFlight<number>();
  const count = (filter: Pick<GalleryFilter, 'kind' | 'tag'>) =>
    share(JSON.stringify(filter), () => countListedItems(sql, filter, clock.now()));

  const permits = createFairSemaphore(SEARCHES.atOnce, SEARCHES.waiting);
  const inTurn = async (
    { client = '', deadline }: CallContext,
    search: () => Promise<Page>,
  ): Promise<Page> => {
    const isLate = (): boolean => deadline <= steadyNow();
    const turn = {
      client,
      limitMs: Math.ceil(deadline - steadyNow()),
      refuse: () => (isLate() ? errors.timeout('searches') : loadShedding.shed('searches')),
    };
    return await permits.run(turn, async () => {
      if (isLate()) throw errors.timeout('searches');
      return await search();
    });
  };

  return {
    async listGallery({ search: text, ...filter }, context) {
      const { kind, tag } = filter;
      if (text === null) {
        const [items, total] = await Promise.all([
          listListed(sql, filter, clock.now()),
          count({ kind, tag }),
        ]);
        return { items, total };
      }
      const search = parseSearch(text);
      if (search === null) return NOTHING;
      return await inTurn(context, () =>
        inSearchTransaction(sql, context, (tx) =>
          searchListed(tx, { ...filter, search }, { now: clock.now(), deadline: context.deadline }),
        ),
      );
    },
    async listOwnGallery({ search: text, ...filter }, context) {
      if (text === null) return await listOwn(sql, { ...filter, search: null }, clock.now());
      const search = parseSearch(text);
      if (search === null) return NOTHING;
      return await inTurn(context, () => listOwn(sql, { ...filter, search }, clock.now()));
    },
  };
}

const NOTHING: Page = { items: [], total: 0 };
