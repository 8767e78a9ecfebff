import type { Redis } from 'ioredis';
import type { Logger } from '../../logger.ts';
import type { CacheMark, CachePart, CacheState } from '../../ports/cache.ts';
import type { Command } from './redis-commands.ts';
import { recentKey, STATE_KEY } from './redis-records.ts';

/** How often a cache that is not current is looked at again, in ms. */
const LOOK_EVERY_MS = 50;

/** Longer than a process takes to find Redis again, in ms: see `retryStrategy`. */
export const SETTLED_AFTER_MS = 2_000;

/** Items put so long before the mark are still remembered, in ms: `forget` may have to go back behind it. */
const RECENT_MS = 120_000;

const PARTS = ['items', 'entries'] as const;

/** Whether what Redis knows may be served. */
export interface RedisTrust {
  /** By part; false from the loss of a connection until a repair pass is known to have told that server everything. */
  readonly isCurrent: Readonly<Record<CachePart, boolean>>;
  /** Grows with each connection: what was to be asked on one and is answered on the next counts for nothing. */
  readonly era: number;
  /** Looks for the first time. */
  begin(): Promise<void>;
  stateOf(part: CachePart): Promise<CacheState>;
  setCurrent(part: CachePart, mark: CacheMark, run: string): Promise<boolean>;
  onReturn(listener: () => void): void;
  close(): void;
}

/**
 * Compares the start of the server (`run_id`) with the one that the mark of each part names: Redis writes the mark after
 * what it describes, and whatever it loses it loses from the end.
 */
export function createRedisTrust(
  redis: Redis,
  command: Command,
  { log, settledAfterMs }: { log: Logger; settledAfterMs: number },
): RedisTrust {
  const isCurrent = { items: false, entries: false };
  const listeners: Array<() => void> = [];
  let era = 0;
  let connectedAt = 0;
  let again: Timer | undefined;

  const distrust = (): void => {
    clearTimeout(again);
    for (const part of PARTS) isCurrent[part] = false;
  };
  const isStill = (asked: number): boolean => asked === era && redis.status === 'ready';
  const look = async (): Promise<void> => {
    clearTimeout(again);
    const asked = era;
    try {
      const [run, ...marked] = await Promise.all([
        readRun(redis),
        ...PARTS.map((part) => redis.hget(STATE_KEY, `${part}.run`)),
      ]);
      if (!isStill(asked)) return;
      for (const [index, part] of PARTS.entries()) isCurrent[part] = marked[index] === run;
    } catch (error) {
      if (!isStill(asked)) return;
      log.debug({ error }, 'the state of the cache could not be read');
    }
    if (!PARTS.every((part) => isCurrent[part])) again = setTimeout(() => void look(), LOOK_EVERY_MS);
  };
  const returned = async (): Promise<void> => {
    distrust();
    era += 1;
    connectedAt = Date.now();
    const asked = era;
    await look();
    if (!isStill(asked) || PARTS.every((part) => isCurrent[part])) return;
    log.warn('the cache has come back: it is not served from before it was told again what it may have lost');
    for (const listener of listeners) listener();
  };
  redis.on('close', distrust);

  return {
    isCurrent,
    get era() {
      return era;
    },
    async begin() {
      connectedAt = Date.now();
      redis.on('ready', () => void returned());
      await look();
    },
    async stateOf(part) {
      const fields = ['told', 'database', 'run'].map((field) => `${part}.${field}`);
      const [run, [told = null, databaseStart = null, markedRun = null]] = await Promise.all([
        readRun(redis),
        redis.hmget(STATE_KEY, ...fields),
      ]);
      const isWhole = told !== null && databaseStart !== null;
      const isMarked = isWhole && markedRun === run;
      return {
        mark: isWhole ? { toldUntil: Number(told), databaseStart } : null,
        isCurrent: isMarked,
        isSettled: isMarked || Date.now() - connectedAt >= settledAfterMs,
        run,
      };
    },
    async setCurrent(part, { toldUntil, databaseStart }, run) {
      const asked = era;
      const keys = [STATE_KEY, recentKey(part)];
      const args = [run, part, toldUntil, databaseStart, toldUntil - RECENT_MS];
      if ((await command<number>('setCurrent', [...keys, ...args])) === 0) return false;
      if (isStill(asked)) isCurrent[part] = true;
      return true;
    },
    onReturn: (listener) => void listeners.push(listener),
    close: () => clearTimeout(again),
  };
}

/** Another one after each start, and of each server. */
async function readRun(redis: Redis): Promise<string> {
  const run = /^run_id:(\w+)/m.exec(await redis.info('server'))?.[1];
  if (run === undefined) throw new Error('Redis does not name its run');
  return run;
}
