import { errors } from '../../errors.ts';
import { itemKey, itemOfKey } from '../../items/item.ts';
import type { Logger } from '../../logger.ts';
import { type Cache, type CachePart, HOST_KEPT_MS } from '../../ports/cache.ts';
import {
  askPrimaries,
  closeRedis,
  connectRedis,
  createRedisClient,
  hasFailover,
  takesAllKeys,
} from './redis-client.ts';
import { createRedisCommands } from './redis-commands.ts';
import { createEntryPuts } from './redis-entries.ts';
import { createFullNotice } from './redis-full.ts';
import { createRedisRecent } from './redis-recent.ts';
import {
  codeKey,
  codeOf,
  encodedItem,
  entriesKey,
  hostKey,
  recordKey,
  unseededKey,
  viewsKey,
} from './redis-records.ts';
import { SCRIPTS } from './redis-scripts.ts';
import { createRedisTrust, SETTLED_AFTER_MS } from './redis-trust.ts';
import { createRedisViewed } from './redis-viewed.ts';
import { createRedisViews } from './redis-views.ts';
import { createRedisVisits } from './redis-visits.ts';
import { createRedisWindows } from './redis-windows.ts';
import { VIEWED_SPAN, type ViewedSpan } from './viewed-span.ts';

export interface RedisCacheOptions {
  url: string;
  log: Logger;
  /** Milliseconds a command may take before the cache counts as away. */
  timeoutMs?: number;
  /**
   * A connection on which commands wait so many ms for a first word is given up: its other end is gone without having
   * said so, and what waits there would grow.
   */
  silenceMs?: number;
  viewedSpan?: ViewedSpan;
  /** Milliseconds after which every process counts as having found a Redis that came back. */
  settledAfterMs?: number;
}

/** The cache in Redis, shared by all gateways. */
export async function createRedisCache(options: RedisCacheOptions): Promise<Cache> {
  const { url, log, timeoutMs = 500, silenceMs = 5_000, viewedSpan = VIEWED_SPAN } = options;
  const redis = createRedisClient(url, {
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: timeoutMs,
    socketTimeout: silenceMs,
    maxLoadingRetryTime: 1_000,
    scripts: SCRIPTS,
  });
  redis.on('error', (error: Error) => log.warn({ error }, 'cache connection'));
  const { settledAfterMs = SETTLED_AFTER_MS[hasFailover(redis) ? 'several' : 'single'] } = options;
  let mayBundle = false;
  const { command, summing, grouping, alongside } = createRedisCommands(redis, () => mayBundle);
  const viewed = createRedisViewed(redis, command, viewedSpan);
  alongside(viewed.send);
  const trust = createRedisTrust(redis, command, { log, settledAfterMs });
  const recent = {
    items: createRedisRecent(redis, command, 'items'),
    entries: createRedisRecent(redis, command, 'entries'),
  } satisfies Record<CachePart, unknown>;
  alongside(recent.items.send);
  alongside(recent.entries.send);
  const counters = createRedisViews(redis, command, viewed.note);
  const noteFull = createFullNotice(log);
  const visit = createRedisVisits(redis, {
    summing,
    trust,
    counters,
    onCounted: viewed.note,
    onFull: noteFull,
  });
  const windows = createRedisWindows(summing, noteFull);
  const entryPuts = createEntryPuts(grouping, noteFull);
  redis.on('ready', () => {
    viewed.reset();
    recent.items.reset();
    recent.entries.reset();
    void counters.sendUnsent();
  });
  try {
    await connectRedis(redis);
    mayBundle = await takesAllKeys(redis);
    await trust.begin();
  } catch (error) {
    closeRedis(redis);
    throw error;
  }

  return {
    async visit(item, count) {
      const { record, views } = await visit(itemKey(item), null, count ? 1 : 0);
      return { record, views };
    },
    visitTogether: (item, key, readers) => visit(itemKey(item), key, readers),
    visitEntry: (item, key, count) => visit(itemKey(item), key, count ? 1 : 0),
    countViews: (item, added) => counters.add(itemKey(item), added),
    viewsOf: (items) => counters.of(items.map(itemKey)),
    changedViews: (limit) => viewed.changed(limit).catch(unavailable),
    viewsSaved: (changed) => viewed.saved(changed).catch(unavailable),
    deferViews: (changed, ms) => viewed.defer(changed, ms).catch(unavailable),
    async putRecord(itemRecord) {
      const item = itemKey(itemRecord);
      const keys = [recordKey(item), viewsKey(item), entriesKey(item), unseededKey(item), codeKey(item)];
      const savedViews = itemRecord.state === 'live' ? (itemRecord.savedViews ?? 0) : 0;
      const args = [
        itemRecord.version,
        encodedItem(itemRecord),
        itemRecord.expiresAt,
        codeOf(itemRecord),
        savedViews,
      ];
      recent.items.note(item);
      const put = await command<number>('putRecord', [...keys, ...args]).catch(unavailable);
      if (put < 0) noteFull();
      return put === 1;
    },
    putEntry(item, record, expiresAt) {
      recent.entries.note(itemKey(item));
      return entryPuts(item, record, expiresAt).catch(unavailable);
    },
    async forgetEntry(item, key, sequence) {
      await command('forgetEntry', [entriesKey(itemKey(item)), key, sequence]).catch(unavailable);
    },
    async forgetRecord(item, version) {
      const name = itemKey(item);
      const keys = [recordKey(name), viewsKey(name), codeKey(name)];
      await command('forgetRecord', [...keys, version]).catch(unavailable);
    },
    async itemAtHost(name) {
      const item = await redis.get(hostKey(name)).catch(() => null);
      return item === null ? null : itemOfKey(item);
    },
    async keepHost(name, item) {
      await redis.set(hostKey(name), itemKey(item), 'PX', HOST_KEPT_MS).catch(() => undefined);
    },
    async forgetHost(name) {
      await redis.del(hostKey(name)).catch(() => undefined);
    },
    stateOf: (part) => trust.stateOf(part).catch(unavailable),
    setCurrent: (part, mark, run) => trust.setCurrent(part, mark, run).catch(unavailable),
    forget: (part, since, onBatch) => recent[part].forget(since, onBatch),
    onReturn: trust.onReturn,
    hit: windows.hit,
    peek: windows.peek,
    giveBack: windows.giveBack,
    async check() {
      await askPrimaries(redis, (primary) => primary.ping()).catch(unavailable);
    },
    async memory() {
      const infos = await askPrimaries(redis, (primary) => primary.info('memory')).catch(unavailable);
      const sum = (name: string): number => infos.reduce((all, info) => all + infoNumber(info, name), 0);
      return { usedBytes: sum('used_memory'), limitBytes: sum('maxmemory') };
    },
    async close() {
      trust.close();
      await counters.close();
      closeRedis(redis);
    },
  };
}

/** A number of the server's INFO: lines of `name:value`. */
const infoNumber = (info: string, name: string): number =>
  Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);

function unavailable(error: unknown): never {
  throw errors.unavailable('cache', error);
}
