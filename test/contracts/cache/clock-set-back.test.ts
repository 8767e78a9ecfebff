import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, setSystemTime, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { startRedis } from '../../../infra/servers/redis.ts';
import type { Server } from '../../../infra/servers/server.ts';
import { createMemoryCache } from '../../../shared/adapters/cache/memory.ts';
import { createRedisCache } from '../../../shared/adapters/cache/redis.ts';
import { systemClock } from '../../../shared/clock.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import { START_LIMIT_MS, startOwn } from '../../servers.ts';
import { freshItem, liveRecord, openCurrentCache, until } from './fixtures.ts';
import { SHORT_SPAN } from './saved-views-contract.ts';

setDefaultTimeout(60_000);
const log = pino({ level: 'silent' });
const STEP_MS = 3_600_000;
let server: Server & { url: string; end(): Promise<void> };

beforeAll(async () => {
  server = await startOwn(startRedis);
}, START_LIMIT_MS);
afterEach(() => void setSystemTime());
afterAll(() => server?.end(), START_LIMIT_MS);

test('a Redis that nobody has made current counts as settled, though the clock was set back since', async () => {
  const cache = await createRedisCache({ url: server.url, log, settledAfterMs: 50 });
  setSystemTime(Date.now() - STEP_MS);
  await until(async () => (await cache.stateOf('items')).isSettled);
  await cache.close();
});

const caches: Array<[name: string, open: () => Promise<Cache>]> = [
  ['Redis', () => openCurrentCache({ url: server.url, log, timeoutMs: 5_000, viewedSpan: SHORT_SPAN })],
  [
    'memory',
    () => {
      const snapshotFile = join(tmpdir(), crypto.randomUUID(), 'views.json');
      return createMemoryCache({ clock: systemClock, log, snapshotFile, viewedSpan: SHORT_SPAN });
    },
  ],
];

test.each(caches)(
  '%s: views counted before the clock was set back are told of, and so are those after',
  async (_, open) => {
    const cache = await open();
    const item = freshItem();
    await cache.putRecord(liveRecord(item, { expiresAt: Date.now() + 2 * STEP_MS }));
    setSystemTime(Date.now() + STEP_MS);
    await cache.visit(item, true);
    setSystemTime();
    const told = async (views: number): Promise<void> => {
      await until(async () => {
        const changed = (await cache.changedViews(1_000)).filter(({ id }) => id === item.id);
        await cache.viewsSaved(changed);
        return changed.some((one) => one.views === views);
      });
    };
    await told(1);
    await cache.visit(item, true);
    await told(2);
    expect(await cache.changedViews(1_000)).toEqual([]);
    await cache.close();
  },
);
