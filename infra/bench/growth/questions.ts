import { pageBytes } from '../pages.ts';
import { ADMIN_PASSWORD, type Stage } from './stage.ts';

/** A request that is timed. */
interface Asked {
  path: string;
  init?: RequestInit;
}

/** A kind of request that every stage gets, round by round. */
export interface Question {
  what: string;
  /** Requests of a round, one after the other. */
  times: number;
  /** Lists of the gallery, lists and statistics of the access log: each has a bound. */
  group: 'gallery' | 'access log' | null;
  /** The n-th request to a stage, from 0 on over all rounds. */
  request(stage: Stage, n: number): Asked;
}

/** All rounds together ask for no more stores than there are among a thousand items. */
const PER_ROUND = 16;
const LISTS_PER_ROUND = 10;
const SLOW_PER_ROUND = 3;
/** Requests that take a millisecond are made more often. */
const AGAIN = 4;

/** Asks for a store, which one in ten loaded items is. Stores have no blob, so this takes only the way to the row and back. */
const store = (n: number): Asked => ({ path: `/api/public/item-${10 * n + 8}/owner-check` });

/** The day begins at another moment in each; of one day statistics are computed once a second at most. */
const zone = (n: number): string => `Etc/GMT${encodeURIComponent('+')}${n % LISTS_PER_ROUND}`;

const gallery = (what: string, query: string, times = LISTS_PER_ROUND): Question => ({
  what,
  times,
  group: 'gallery' as const,
  request: () => ({ path: `/api/gallery?${query}` }),
});

const accessLog = (what: string, path: string): Question => ({
  what,
  times: SLOW_PER_ROUND,
  group: 'access log' as const,
  request: () => ({ path, init: { headers: { 'X-Admin-Password': ADMIN_PASSWORD } } }),
});

export const QUESTIONS: readonly Question[] = [
  {
    what: 'create a page',
    times: PER_ROUND,
    group: null,
    request: (_, n) => ({
      path: '/api/html?ns=public',
      init: { method: 'POST', headers: { 'Content-Type': 'text/html' }, body: pageBytes(n) },
    }),
  },
  {
    what: 'create a store',
    times: PER_ROUND,
    group: null,
    request: (_, n) => ({
      path: '/api/kv?ns=public',
      init: { method: 'POST', body: JSON.stringify({ key: 'first', value: n }) },
    }),
  },
  { what: 'resolve, not cached', times: PER_ROUND, group: null, request: (_, n) => store(n) },
  // Stores that were just asked for, several times each.
  {
    what: 'resolve, cached',
    times: PER_ROUND * AGAIN,
    group: null,
    request: (_, n) => store(Math.floor(n / AGAIN)),
  },
  {
    what: 'read a page, cached',
    times: PER_ROUND * AGAIN,
    group: null,
    request: ({ page }) => ({ path: page }),
  },
  gallery('gallery, newest', ''),
  gallery('gallery, page 50', 'page=50'),
  gallery('gallery by views', 'sort=views'),
  gallery('gallery of files', 'kind=file'),
  gallery('search for two words', 'q=holi viser'),
  gallery('search for a phrase', 'q="kara holi"'),
  gallery('gallery of the most frequent tag', 'tag=kara'),
  gallery('search for a word in a fifth of all', 'q=kara'),
  {
    what: "an owner's list",
    times: LISTS_PER_ROUND,
    group: null,
    request: () => ({ path: '/api/owner/items', init: { headers: { 'X-Owner-Token': '7' } } }),
  },
  {
    what: 'statistics',
    times: LISTS_PER_ROUND,
    group: null,
    request: (_, n) => ({ path: `/api/stats?tz=${zone(n)}` }),
  },
  accessLog('log by a busy address', '/api/admin/access?ip=10.0.0.0'),
  accessLog('log by a rare address', '/api/admin/access?ip=10.2.18.150'),
  accessLog('log by a busy item', '/api/admin/access?resource=public/item-1'),
  accessLog('log by a rare item', '/api/admin/access?resource=public/item-15001'),
  accessLog('log by class 4xx', '/api/admin/access?status=4xx'),
  accessLog('log by a busy path', '/api/admin/access?path=/team-12/item-1'),
  accessLog('log, statistics of 7 days', '/api/admin/access/stats?days=7'),
];
