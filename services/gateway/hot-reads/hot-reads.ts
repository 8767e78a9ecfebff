import type { Server } from 'bun';
import { newRequestId } from '../../../shared/ids.ts';
import { isVisible } from '../../../shared/items/item-record.ts';
import type { EntryVisit, WindowState } from '../../../shared/ports/cache.ts';
import { turns } from '../../../shared/turns.ts';
import type { AccessEvents } from '../access-log/access-events.ts';
import { refererOf, toDurationMs } from '../access-log/logged-request.ts';
import type { FairBudget, Holding } from '../admission/fair-budget.ts';
import { clientAddress, clientKey, userAgentOf } from '../http/client.ts';
import type { AnswerNormally, FastPathRead } from '../http/fast-path.ts';
import { addressedAs } from '../http/hosts.ts';
import type { ReadDependencies } from '../items/dependencies.ts';
import { takesEvents } from '../live/follow-request.ts';
import type { GatewayMetrics } from '../metrics.ts';
import {
  advance,
  answerOf,
  type CountedGroup,
  type CountedGroups,
  createCountedGroups,
  windowOf,
} from './counted-groups.ts';
import type { PreparedAnswer, PreparedAnswers } from './prepared-answers.ts';

export interface HotReads {
  /** The answer to a request that this path takes; `null` leaves it to the normal path. */
  take(request: Request, server: Server<unknown>): Promise<Response> | null;
}

/** Dependencies of a fast path, which counts and logs its requests by itself. */
export interface HotDependencies extends Pick<ReadDependencies, 'cache' | 'clock' | 'config' | 'limits'> {
  /** Slots for requests without an answer. */
  slots: FairBudget;
  metrics: GatewayMetrics;
  accessEvents: AccessEvents;
}

/** A request on this path. */
interface Read {
  request: Request;
  server: Server<unknown>;
  prepared: PreparedAnswer;
  clientIp: string;
  client: string;
  userAgent: string;
  /** The group that is counted as views of the item with this read, and the one in the client's window. */
  views: CountedGroup<EntryVisit>;
  window: CountedGroup<WindowState | null>;
  startedAt: number;
  arrivedAt: number;
  resolve(response: Response | Promise<Response>): void;
  reject(error: unknown): void;
}

/** When reads are answered: by the clock of durations, and since the epoch, in ms. */
interface Moment {
  now: number;
  at: number;
}

/** Reads that are counted in one round trip. */
interface Group {
  reads: Read[];
  /** The slots that they hold among the requests under way, by client. */
  holdings: Map<string, Holding>;
  visits: CountedGroups<PreparedAnswer, EntryVisit>;
  windows: CountedGroups<string, WindowState | null>;
}

/**
 * Turns of the event loop to wait before asking: clients just answered send their next request within them, and then share one
 * round trip.
 */
const TURNS_BETWEEN = 3;

/**
 * A fast path for a plain GET of a page, of its stored bytes (`?raw=true`) or of a key's value that was read before: no
 * other query, no condition or range, and no password. All that arrive in a turn of the event loop are counted with one
 * script for each item and one for each client, in one round trip, which also tells whether the answer is still the one that
 * is prepared. Then one loop answers them. The path makes no errors: whatever is not as expected goes to the normal path,
 * along with what was counted.
 */
export function createHotReads(
  { accessEvents, cache, clock, config, limits, metrics, slots }: HotDependencies,
  answers: PreparedAnswers,
  answerNormally: AnswerNormally<FastPathRead>,
): HotReads {
  const readsLimit = limits.limitOf('reads');

  const newGroup = (): Group => ({
    reads: [],
    holdings: new Map(),
    visits: createCountedGroups((prepared, readers) => cache.visitTogether(prepared, prepared.key, readers)),
    windows: createCountedGroups((client, reads) => limits.count(client, 'reads', reads)),
  });
  /** Reads that wait. */
  let gathering = newGroup();
  let isSettling = false;

  /** Whether the request asks for the whole content, and in the way that the prepared answer was asked for. */
  const isPlain = (headers: Headers, { address, key, onItemHost }: PreparedAnswer): boolean =>
    addressedAs(headers, config) === address &&
    // A key may be followed at its address.
    !(key !== null && takesEvents(headers)) &&
    !headers.has('if-none-match') &&
    !headers.has('if-modified-since') &&
    !headers.has('if-unmodified-since') &&
    !headers.has('range') &&
    !headers.has('service-worker') &&
    !(onItemHost && headers.get('sec-fetch-site') === 'same-site') &&
    !(config.contentBaseUrl !== null && headers.has('sec-fetch-dest'));

  const hold = (client: string): boolean => {
    const { holdings } = gathering;
    let holding = holdings.get(client);
    if (holding === undefined) {
      holding = slots.open(client);
      holdings.set(client, holding);
    }
    return holding.tryTake(1);
  };

  const isCurrent = (
    { version, sequence, until }: PreparedAnswer,
    { record, entry }: EntryVisit,
    at: number,
  ): boolean =>
    isVisible(record, at) &&
    record.version === version &&
    at < until &&
    (sequence === null || entry?.entry?.sequence === sequence);

  /**
   * `null`: the content is another by now, or the client is over its limit or has no room for the answer, or the cache did not
   * tell.
   */
  const answer = (read: Read, { now, at }: Moment, window: WindowState | null): Response | null => {
    const { request, prepared, clientIp, userAgent, startedAt, arrivedAt } = read;
    const { outcome, behind } = read.views;
    const { headers } = prepared;
    if ('error' in outcome || !isCurrent(prepared, outcome.value, at)) {
      answers.forget(request);
      return null;
    }
    if (window !== null && window.hits > readsLimit) return null;
    const made = prepared.body(read);
    if (made === null) return null;
    const requestId = newRequestId();
    headers.set('X-Views', String(outcome.value.views - behind));
    headers.set('X-Request-Id', requestId);
    prepared.setRateHeaders(readsLimit, window);
    const response = new Response(made.body, { headers });
    const seconds = (now - startedAt) / 1000;
    metrics.observeDuration('page', seconds);
    const durationMs = toDurationMs(seconds);
    const attributes = prepared.attributesOf(clientIp, userAgent, refererOf(request.headers));
    accessEvents.record({ at: arrivedAt, requestId, durationMs, attributes });
    return response;
  };

  /** Leaves a read to the normal path. */
  const handOver = (read: Read, window: WindowState | null): Promise<Response> => {
    const { request, server, prepared: item, views, startedAt, arrivedAt } = read;
    const { behind } = views;
    const visit = async (): Promise<EntryVisit> => {
      const found = answerOf(views);
      return { ...found, views: found.views - behind };
    };
    return answerNormally(request, server, { startedAt, arrivedAt, item, visit, window });
  };

  const answerAll = ({ reads, holdings }: Group): void => {
    for (const holding of holdings.values()) holding.release();
    const moment = { now: performance.now(), at: clock.now() };
    let answered = 0;
    for (const read of reads) {
      metrics.requestEnded();
      advance(read.views);
      advance(read.window);
      const window = windowOf(read.window);
      try {
        const response = answer(read, moment, window);
        if (response !== null) answered += 1;
        read.resolve(response ?? handOver(read, window));
      } catch (error) {
        read.reject(error);
      }
    }
    metrics.hotReadsAnswered(answered);
  };

  /** Counts the reads that wait; `null`: there are none. */
  const ask = (): Promise<Group> | null => {
    if (gathering.reads.length === 0) return null;
    const group = gathering;
    gathering = newGroup();
    return Promise.all([group.visits.ask(), group.windows.ask()]).then(() => group);
  };

  /**
   * Reads that arrive while a round trip is under way wait for the next one. That one leaves before this one's reads are
   * answered, so that neither Redis nor this process waits for the other.
   */
  const settleAll = async (): Promise<void> => {
    isSettling = true;
    try {
      let asked = ask();
      while (asked !== null) {
        const group = await asked;
        asked = ask();
        if (asked === null) {
          answerAll(group);
          await turns(TURNS_BETWEEN);
          asked = ask();
        } else {
          // Commands leave at the end of a turn.
          await turns(1);
          answerAll(group);
        }
      }
    } finally {
      isSettling = false;
    }
  };

  const take: HotReads['take'] = (request, server) => {
    if (request.method !== 'GET') return null;
    const prepared = answers.find(request);
    if (prepared === null || !isPlain(request.headers, prepared)) return null;
    const userAgent = userAgentOf(request.headers);
    if (userAgent === null || userAgent.trim() === '') return null;
    const clientIp = clientAddress(request, server, config.trustProxy);
    const client = clientKey(clientIp);
    if (limits.refuses(client, 'reads') || !hold(client)) return null;
    metrics.requestStarted();
    const { reads, visits, windows } = gathering;
    if (reads.length === 0 && !isSettling) setImmediate(settleAll);
    return new Promise((resolve, reject) => {
      const [startedAt, arrivedAt] = [performance.now(), Date.now()];
      reads.push({
        request,
        server,
        prepared,
        clientIp,
        client,
        userAgent,
        views: visits.add(prepared),
        window: windows.add(client),
        startedAt,
        arrivedAt,
        resolve,
        reject,
      });
    });
  };

  return { take };
}
