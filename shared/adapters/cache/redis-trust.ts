import { createHash } from 'node:crypto';
import { Cluster, type Redis } from 'ioredis';
import { steadyNow } from '../../deadline.ts';
import type { Logger } from '../../logger.ts';
import type { CacheMark, CachePart, CacheState } from '../../ports/cache.ts';
import { askPrimaries, type RedisClient } from './redis-client.ts';
import type { Command } from './redis-commands.ts';
import { recentKey, STATE_KEY } from './redis-records.ts';

/**
 * Names the data that a Redis server has. The name changes when the server restarts (`run_id`) and when a replica is
 * promoted (`master_replid`): after either, its data may be older than before. A primary that was replaced and takes over
 * again without a restart has the other `master_replid`, too. Of a cluster it combines those of all primaries.
 */
interface RedisIdentity {
  run: string;
  /** Stored as `line`. */
  replicationId: string;
}

const SEPARATOR = ' ';

const nameOf = ({ run, replicationId }: RedisIdentity): string => `${run}${SEPARATOR}${replicationId}`;

function identityOf(name: string): RedisIdentity {
  const [run = '', replicationId = ''] = name.split(SEPARATOR);
  return { run, replicationId };
}

async function readIdentity(redis: RedisClient): Promise<RedisIdentity> {
  if (!(redis instanceof Cluster)) return await identityOfServer(redis);
  const primaries = await askPrimaries(redis, identityOfServer);
  const names = primaries.map(nameOf).toSorted();
  return { run: 'cluster', replicationId: createHash('sha256').update(names.join('\n')).digest('hex') };
}

async function identityOfServer(redis: Redis): Promise<RedisIdentity> {
  const [server, replication] = await Promise.all([redis.info('server'), redis.info('replication')]);
  const run = /^run_id:(\w+)/m.exec(server)?.[1];
  const replicationId = /^master_replid:(\w+)/m.exec(replication)?.[1];
  if (run === undefined || replicationId === undefined) throw new Error('Redis does not name its run');
  return { run, replicationId };
}

/** How often a cache that is not current is looked at again, in ms. */
const LOOK_EVERY_MS = 50;

/**
 * How often a cluster that is current is looked at, in ms: another of its servers may have taken over, and lost something,
 * without the loss of a connection.
 */
const WATCH_EVERY_MS = 1_000;

/**
 * Longer than a process takes to find Redis again, in ms. One server is tried every second; of several a dead one has to be
 * given up (2 s), a sentinel that is gone with it (1 s), and its address once more if the others still name it (2 s).
 */
export const SETTLED_AFTER_MS = { single: 2_000, several: 7_000 };

/** Items put so long before the mark are still remembered, in ms: `forget` may have to go back behind it. */
const RECENT_MS = 120_000;

const PARTS = ['items', 'entries'] as const;

/** Whether what Redis knows may be served. */
export interface RedisTrust {
  /** Whether a part is current; false from the loss of a connection until a repair pass is known to have told that server everything. */
  readonly isCurrent: Readonly<Record<CachePart, boolean>>;
  /**
   * Grows with each connection. An answer is ignored when the era is not that of its question: the connection was lost in
   * between.
   */
  readonly era: number;
  /** Compares the marks with the server for the first time. */
  begin(): Promise<void>;
  stateOf(part: CachePart): Promise<CacheState>;
  setCurrent(part: CachePart, mark: CacheMark, run: string): Promise<boolean>;
  onReturn(listener: () => void): void;
  close(): void;
}

/**
 * Compares the identity of the server with the one that the mark of each part names. Redis writes the mark after the
 * records that it vouches for, and a server that loses writes loses the latest: one that has the mark has those records.
 */
export function createRedisTrust(
  redis: RedisClient,
  command: Command,
  { log, settledAfterMs }: { log: Logger; settledAfterMs: number },
): RedisTrust {
  const isCurrent = { items: false, entries: false };
  const listeners: Array<() => void> = [];
  let era = 0;
  /** By `steadyNow`. */
  let connectedAt = 0;
  let again: Timer | undefined;
  /** How often a part has become current by a mark of this process. */
  let marked = 0;

  const distrust = (): void => {
    clearTimeout(again);
    for (const part of PARTS) isCurrent[part] = false;
  };
  const isStill = (asked: number): boolean => asked === era && redis.status === 'ready';
  const areCurrent = (): boolean => PARTS.every((part) => isCurrent[part]);
  const look = async (): Promise<void> => {
    clearTimeout(again);
    const asked = era;
    const markedBefore = marked;
    try {
      const [{ run, replicationId }, marks] = await Promise.all([
        readIdentity(redis),
        redis.hmget(STATE_KEY, ...PARTS.flatMap((part) => [`${part}.run`, `${part}.line`])),
      ]);
      if (!isStill(asked)) return;
      // A mark that was set meanwhile may be newer than these.
      if (marked === markedBefore)
        for (const [index, part] of PARTS.entries())
          isCurrent[part] = marks[2 * index] === run && marks[2 * index + 1] === replicationId;
    } catch (error) {
      if (!isStill(asked)) return;
      log.debug({ error }, 'the state of the cache could not be read');
    }
    if (!areCurrent()) again = setTimeout(() => void look(), LOOK_EVERY_MS);
    else if (redis instanceof Cluster)
      again = setTimeout(() => void watch(), marked === markedBefore ? WATCH_EVERY_MS : LOOK_EVERY_MS);
  };
  const lose = (): void => {
    distrust();
    // The other servers of a cluster are still there, and no connection may have to be made for it to be whole again.
    if (redis instanceof Cluster) again = setTimeout(() => void watch(), LOOK_EVERY_MS);
  };
  const tellUnlessCurrent = (): void => {
    if (areCurrent()) return;
    log.warn('the cache has come back: it is not served from before it was told again what it may have lost');
    for (const listener of listeners) listener();
  };
  const watch = async (): Promise<void> => {
    const asked = era;
    await look();
    if (isStill(asked)) tellUnlessCurrent();
  };
  const returned = async (): Promise<void> => {
    distrust();
    era += 1;
    connectedAt = steadyNow();
    const asked = era;
    await look();
    if (isStill(asked)) tellUnlessCurrent();
  };
  /** Tells of the loss and the return of any connection; one to a node of a cluster is known from its first moment. */
  const onConnections = (lost: () => void, back: () => void): void => {
    // A cluster of which nobody was there is found again after its first nodes: until then it cannot be looked at.
    redis.on('ready', back);
    if (!(redis instanceof Cluster)) {
      redis.on('close', lost);
      return;
    }
    const follow = (node: Redis): void => {
      node.on('close', lost);
      node.on('ready', back);
    };
    for (const node of redis.nodes()) follow(node);
    redis.on('+node', follow);
  };

  return {
    isCurrent,
    get era() {
      return era;
    },
    async begin() {
      connectedAt = steadyNow();
      onConnections(lose, () => void returned());
      await look();
    },
    async stateOf(part) {
      const fields = ['told', 'database', 'run', 'line'].map((field) => `${part}.${field}`);
      const [identity, [told = null, databaseStart = null, run = null, replicationId = null]] =
        await Promise.all([readIdentity(redis), redis.hmget(STATE_KEY, ...fields)]);
      const isWhole = told !== null && databaseStart !== null;
      const isMarked = isWhole && run === identity.run && replicationId === identity.replicationId;
      return {
        mark: isWhole ? { toldUntil: Number(told), databaseStart } : null,
        isCurrent: isMarked,
        isSettled: isMarked || steadyNow() - connectedAt >= settledAfterMs,
        run: nameOf(identity),
      };
    },
    async setCurrent(part, { toldUntil, databaseStart }, name) {
      const asked = era;
      if (redis instanceof Cluster && nameOf(await readIdentity(redis)) !== name) return false;
      const { run, replicationId } = identityOf(name);
      const keys = [STATE_KEY, recentKey(part)];
      const args = [run, replicationId, part, toldUntil, databaseStart, toldUntil - RECENT_MS];
      if ((await command<number>('setCurrent', [...keys, ...args])) === 0) return false;
      if (!isStill(asked)) return true;
      isCurrent[part] = true;
      marked += 1;
      return true;
    },
    onReturn: (listener) => void listeners.push(listener),
    close: () => clearTimeout(again),
  };
}
