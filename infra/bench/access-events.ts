import type { AccessBatch, AccessEvent } from '../../shared/contracts/access-log.ts';
import { createRandom } from '../random.ts';

/** Events that are sent together: a gateway with more traffic sends some 1,500, or up to 5,000 alike ones. */
export const EVENTS_PER_BATCH = 500;

/** How often what happens, of a thousand. */
export const STATUSES: ReadonlyArray<readonly [status: number, share: number]> = [
  ...([
    [200, 830],
    [304, 60],
    [404, 60],
    [201, 25],
    [206, 9],
  ] as const),
  ...([
    [403, 6],
    [429, 5],
    [410, 3],
    [500, 1],
    [503, 1],
  ] as const),
];
export const METHODS: ReadonlyArray<readonly [method: string, share: number]> = [
  ...([
    ['GET', 920],
    ['HEAD', 20],
    ['POST', 40],
    ['PUT', 15],
    ['DELETE', 5],
  ] as const),
];

function choose<T>(shares: ReadonlyArray<readonly [T, number]>, random: number): T {
  let left = random * 1000;
  for (const [value, share] of shares) {
    left -= share;
    if (left < 0) return value;
  }
  throw new Error('the shares are of a thousand');
}

/** Few are asked for often, many seldom: the n-th about 1/n as often as the first. */
const ranked = (count: number, random: number): number => Math.floor(count ** random) - 1;

/**
 * Batches of believable requests, oldest first, spread over a period with quiet nights: 5,000 addresses, 20,000 items,
 * 300 User-Agents, 2,000 Referers.
 */
export function* believableBatches(count: number, from: number, to: number): Generator<AccessBatch> {
  const random = createRandom(count).next;
  let events: AccessEvent[] = [];
  for (let n = 0; n < count; n++) {
    events.push(believableEvent(random, from + ((to - from) * n) / count));
    if (events.length < EVENTS_PER_BATCH && n < count - 1) continue;
    yield { id: `bench-${n}`, events };
    events = [];
  }
}

function believableEvent(random: () => number, at: number): AccessEvent {
  const address = ranked(5_000, random());
  const item = ranked(20_000, random());
  const status = choose(STATUSES, random());
  const met = status < 400;
  const namespace = item % 3 === 0 ? `team-${item % 50}` : 'public';
  return {
    at: Math.floor(at),
    requestId: Math.floor(random() * 2 ** 48)
      .toString(36)
      .padStart(16, '0'),
    clientIp: `10.${address % 7}.${Math.floor(address / 250)}.${address % 250}`,
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${ranked(300, random())}.0`,
    method: choose(METHODS, random()),
    path: `/${namespace}/item-${item}${met ? '' : '-gone'}`,
    query: random() < 0.1 ? 'raw=1' : '',
    status,
    durationMs:
      Math.round(
        100 * Math.exp(1 + 1.2 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(6.283 * random())),
      ) / 100,
    referer: random() < 0.4 ? `https://site-${ranked(2_000, random())}.example/` : null,
    resourceType: met ? 'html' : null,
    resourceNamespace: met ? namespace : null,
    resourceId: met ? `item-${item}` : null,
  };
}
