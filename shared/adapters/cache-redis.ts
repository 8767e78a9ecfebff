import { type ChainableCommander, Redis } from 'ioredis';
import { errors } from '../errors.ts';
import { itemKey } from '../items/item.ts';
import { isOpen, type Route } from '../items/route.ts';
import type { Logger } from '../logger.ts';
import type { Cache, WindowRule, WindowState } from '../ports/cache.ts';
import { SCRIPTS } from './cache-redis-scripts.ts';
import { createTurnBatch, type TurnOutcome } from './turn-batch.ts';
import { createMemoryWindows } from './windows-memory.ts';

export interface RedisCacheOptions {
  url: string;
  log: Logger;
  /** Milliseconds a command may take before the cache counts as away. */
  timeoutMs?: number;
}

/** Keeps the counter of an item whose route Redis does not know: the longest life an item can have. */
const UNKNOWN_ROUTE_VIEWS_MS = 30 * 86_400_000;
/** Counters that may wait in memory for a lost Redis; beyond them views are lost rather than memory. */
const MAX_UNSENT_COUNTERS = 100_000;

/** The cache in Redis, shared by all gateways. Hash tags keep the keys of one item in one slot of a cluster. */
export async function createRedisCache({ url, log, timeoutMs = 500 }: RedisCacheOptions): Promise<Cache> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: timeoutMs,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
    scripts: SCRIPTS,
  });
  redis.on('error', (error: Error) => log.warn({ error }, 'cache connection'));
  const visits = createTurnBatch<[string | null, number]>();
  const hits = createTurnBatch<[number, number]>();
  const ownWindows = createMemoryWindows();
  const unsent = new Map<string, number>();
  const parse = createRouteParser();
  let scheduled = false;

  const flush = (): void => {
    scheduled = false;
    const visiting = visits.take();
    const hitting = hits.take();
    const pipeline = redis.pipeline();
    for (const { key, amount } of visiting.entries) run(pipeline, 'visit', [...itemKeys(key), amount]);
    for (const { key, amount } of hitting.entries) {
      run(pipeline, 'hitWindow', [`window:${key}`, amount, Number.parseInt(key, 10)]);
    }
    pipeline
      .exec()
      .then((replies) => {
        const settled = (replies ?? []).map(([error, value]) => (error === null ? { value } : { error }));
        visiting.settle(
          settled.slice(0, visiting.entries.length) as Array<{ value: [string | null, number] }>,
        );
        hitting.settle(settled.slice(visiting.entries.length) as Array<{ value: [number, number] }>);
      })
      .catch((error: unknown) => {
        visiting.settle(visiting.entries.map(() => ({ error })));
        hitting.settle(hitting.entries.map(() => ({ error })));
      });
  };
  const soon = <T>(outcome: Promise<T>): Promise<T> => {
    if (!scheduled) {
      scheduled = true;
      setImmediate(flush);
    }
    return outcome;
  };
  const command = async <T>(name: keyof typeof SCRIPTS, args: Array<string | number>): Promise<T> => {
    const [reply] = (await run(redis.pipeline(), name, args).exec()) ?? [];
    if (reply === undefined) throw new Error('no reply');
    if (reply[0] !== null) throw reply[0];
    return reply[1] as T;
  };
  const windowState = async (rule: WindowRule, key: string, amount: number): Promise<WindowState> => {
    const outcome = await soon(hits.add(`${rule.seconds}:${rule.name}:${key}`, amount));
    return { hits: ordinal(outcome, outcome.result[0]), resetMs: outcome.result[1] };
  };
  const sendUnsent = async (): Promise<void> => {
    for (const [key, views] of unsent) {
      unsent.delete(key);
      try {
        await command('addViews', [...itemKeys(key), views, UNKNOWN_ROUTE_VIEWS_MS]);
      } catch (error) {
        if (mayStillRun(error)) continue;
        keepUnsent(unsent, key, views);
        return;
      }
    }
  };
  redis.on('ready', () => void sendUnsent());
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    throw error;
  }

  return {
    async visit(item, count) {
      try {
        const outcome = await soon(visits.add(itemKey(item), count ? 1 : 0));
        const [record, views] = outcome.result;
        if (record === null) return { route: null, views: 0 };
        const route = parse(record);
        return { route, views: isOpen(route) ? ordinal(outcome, views) : views };
      } catch (error) {
        throw count && mayStillRun(error)
          ? errors.timeout('cache', error)
          : errors.unavailable('cache', error);
      }
    },
    async countViews(item, views) {
      const key = itemKey(item);
      try {
        const total = await command<number>('addViews', [...itemKeys(key), views, UNKNOWN_ROUTE_VIEWS_MS]);
        if (unsent.size > 0) void sendUnsent();
        return total;
      } catch (error) {
        return mayStillRun(error) ? views : keepUnsent(unsent, key, views);
      }
    },
    async putRoute(route) {
      try {
        const removed = route.state === 'removed' ? '1' : '0';
        const args = [route.version, serialise(route), route.expiresAt, removed];
        return (await command<number>('putRoute', [...itemKeys(itemKey(route)), ...args])) === 1;
      } catch (error) {
        throw errors.unavailable('cache', error);
      }
    },
    hit: (rule, key) => windowState(rule, key, 1).catch(() => ownWindows.hit(rule, key)),
    peek: (rule, key) => windowState(rule, key, 0).catch(() => ownWindows.peek(rule, key)),
    async giveBack(rule, key) {
      await windowState(rule, key, -1).catch(() => ownWindows.giveBack(rule, key));
    },
    async check() {
      try {
        await redis.ping();
      } catch (error) {
        throw errors.unavailable('cache', error);
      }
    },
    async close() {
      await sendUnsent();
      redis.disconnect();
    },
  };
}

/** A call's own number among the equal calls of its turn: the first of three that ended at 10 is 8. */
function ordinal<T>({ upTo, total }: TurnOutcome<T>, reached: number): number {
  return reached - total + upTo;
}

function run(
  pipeline: ChainableCommander,
  name: keyof typeof SCRIPTS,
  args: Array<string | number>,
): ChainableCommander {
  const scripted = pipeline as ChainableCommander &
    Record<keyof typeof SCRIPTS, (...args: Array<string | number>) => unknown>;
  scripted[name](...args);
  return pipeline;
}

const itemKeys = (key: string): [route: string, views: string] => [`route:{${key}}`, `views:{${key}}`];

const serialise = (route: Route): string =>
  `${isOpen(route) ? 'O' : 'C'}${route.version}|${JSON.stringify(route)}`;

/** A hot page's record is the same string each time: the last ones parsed are kept. */
function createRouteParser(): (record: string) => Route {
  const recent = new Map<string, Route>();
  return (record) => {
    const known = recent.get(record);
    if (known !== undefined) return known;
    const route = JSON.parse(record.slice(record.indexOf('|') + 1)) as Route;
    if (recent.size >= 512) recent.clear();
    recent.set(record, route);
    return route;
  };
}

/** A slow Redis runs the command later: sending it again would count twice. */
const mayStillRun = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Command timed out';

function keepUnsent(unsent: Map<string, number>, key: string, views: number): number {
  const waiting = (unsent.get(key) ?? 0) + views;
  if (views === 0) return waiting;
  if (unsent.has(key) || unsent.size < MAX_UNSENT_COUNTERS) unsent.set(key, waiting);
  return waiting;
}
