import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.ts';
import type { DemoContent, PublishedItem } from './demo-item.ts';
import type { DemoRequest, PerchClient } from './perch-client.ts';
import { putValue } from './publish.ts';

/** Reports that one run sends besides its items: both count for the upload limit. */
export const REPORTS = 4;

/** Fewer than lock an item's password form: ten in 15 minutes (specification 11.3). */
const WRONG_TRIES = 5;

const LANES = 6;
/** Each takes such a break after a request, in ms. */
const BREAK = [20, 200] as const;

export interface TrafficCount {
  requests: number;
  /** Requests that were answered with 429. */
  limited: number;
}

interface Traffic {
  items: readonly PublishedItem[];
  owner: string;
  random: Random;
  seconds: number;
  signal: AbortSignal;
  onProgress(share: number, count: TrafficCount): void;
}

/** One request of somebody. */
type Errand = () => [path: string, request?: DemoRequest];

/** Uses items for a while as people and programs do: some much more than others. */
export async function makeTraffic(perch: PerchClient, traffic: Traffic): Promise<TrafficCount> {
  const { random, seconds, signal, onProgress } = traffic;
  const errands = listErrands(traffic);
  const count: TrafficCount = { requests: 0, limited: 0 };
  const started = performance.now();
  const share = (): number => (performance.now() - started) / (seconds * 1_000);
  let failed = false;
  const lane = async (): Promise<void> => {
    while (!failed && share() < 1) {
      const [path, request] = random.pick(errands)();
      const { status } = await perch.send(path, request);
      count.requests += 1;
      if (status === 429) count.limited += 1;
      onProgress(Math.min(1, share()), count);
      await sleep(random.between(...BREAK), undefined, { signal });
    }
  };
  await Promise.all(
    Array.from({ length: LANES }, () =>
      lane().catch((error: unknown) => {
        failed = true;
        throw error;
      }),
    ),
  );
  return count;
}

/** Each as often as it is its turn. */
function listErrands({ items, owner, random }: Traffic): Errand[] {
  const ranked = random.sample(items, items.length);
  const ofKind = (kind: DemoContent['kind']) => ranked.filter((item) => item.content.kind === kind);
  const [stores, pages] = [ofKind('kv'), ofKind('html')];
  const guarded = ranked.filter(({ password }) => password !== null);
  const tries = new Map<string, number>();
  let reports = 0;

  /** The first of a list far more often than the last. */
  const favourite = (list: readonly PublishedItem[]): PublishedItem => {
    const item = list[Math.floor(list.length * random.next() ** 3)];
    if (item === undefined) throw new RangeError('a demo has items of every kind');
    return item;
  };
  const keyOf = ({ password }: PublishedItem): Record<string, string> =>
    password === null ? {} : { 'X-Password': password };

  const read: Errand = () => {
    const item = favourite(ranked);
    return [item.path, { headers: { ...visitor(random), ...keyOf(item) } }];
  };
  const poll: Errand = () => {
    const store = favourite(stores);
    const { content } = store;
    const key = content.kind === 'kv' ? random.pick(Object.keys(content.entries)) : '';
    return [`${store.path}/${key}`, { headers: { ...program(random), ...keyOf(store) } }];
  };
  const update: Errand = () => {
    const page = favourite(pages);
    const { content } = page;
    if (content.kind !== 'html') return read();
    const headers = { ...program(random), 'Content-Type': content.type, 'X-Owner-Token': owner };
    const body = `${content.text}\n<!-- looked over on day ${random.between(1, 99)} -->\n`;
    return [page.apiPath, { method: 'PUT', headers, body }];
  };
  const count: Errand = () => [
    `${favourite(stores).apiPath}/visits`,
    putValue(random.between(1, 9_999), owner),
  ];
  const search: Errand = () => {
    const word = random.pick(['soup', 'weather', 'walk', 'release', 'picture', 'menu', 'har', 'live scores']);
    return ['/api/gallery', { query: { q: word }, headers: browser(random) }];
  };
  const browse: Errand = () => [
    random.pick(['/', '/api/gallery', '/api/gallery/pages', '/api/gallery/files', '/stats', '/docs']),
    { headers: browser(random) },
  ];
  const crawl: Errand = () => [
    random.pick(['/robots.txt', '/sitemap.xml', favourite(ranked).codePath]),
    { headers: visitor(random) },
  ];
  const getLost: Errand = () => [
    random.pick(['/public/old-menu', '/public/wp-login.php', '/s/gone123', '/team-lark/draft']),
    { headers: visitor(random) },
  ];
  const guess: Errand = () => {
    if (guarded.length === 0) return getLost();
    const item = random.pick(guarded);
    const tried = (tries.get(item.path) ?? 0) + 1;
    tries.set(item.path, tried);
    const password = tried > WRONG_TRIES ? keyOf(item) : { 'X-Password': random.pick(['12345', 'kettle']) };
    return [item.path, { headers: { ...visitor(random), ...password } }];
  };
  const report: Errand = () => {
    if (reports === REPORTS) return read();
    reports += 1;
    const body = JSON.stringify({
      reportedUrl: favourite(pages).url,
      category: random.pick(['spam', 'copyright', 'other', 'phishing']),
      description: 'This page was sent to me by somebody I do not know. Please have a look.',
    });
    const headers = { ...browser(random), 'Content-Type': 'application/json' };
    return ['/api/reports', { method: 'POST', headers, body }];
  };

  const turns: Array<[errand: Errand, times: number]> = [
    ...([
      [read, 56],
      [poll, 12],
      [search, 7],
      [browse, 6],
      [crawl, 4],
    ] as Array<[Errand, number]>),
    ...([
      [getLost, 5],
      [guess, 3],
      [update, 3],
      [count, 3],
      [report, 1],
    ] as Array<[Errand, number]>),
  ];
  return turns.flatMap(([errand, times]) => Array<Errand>(times).fill(errand));
}

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
];

const PROGRAMS = ['curl/8.14.1', 'python-requests/2.32.5', 'Go-http-client/2.0', 'LarkspurDesktop/4.2'];

const CRAWLERS = ['ExampleSearchBot/2.1 (+https://search.example/bot)', 'LinkPreview/1.0'];

const REFERERS = ['https://search.example/results?q=perch', 'https://chat.example/room/42'];

/** Headers of somebody who opens an address in a browser. */
const browser = (random: Random): Record<string, string> => ({
  'User-Agent': random.pick(BROWSERS),
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Sec-Fetch-Dest': 'document',
  'Sec-Fetch-Mode': 'navigate',
  ...(random.chance(0.3) ? { Referer: random.pick(REFERERS) } : {}),
});

const program = (random: Random): Record<string, string> => ({ 'User-Agent': random.pick(PROGRAMS) });

/** People mostly, then programs, then crawlers. */
function visitor(random: Random): Record<string, string> {
  const share = random.next();
  if (share < 0.7) return browser(random);
  return share < 0.92 ? program(random) : { 'User-Agent': random.pick(CRAWLERS) };
}
