import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pino from 'pino';
import { createMemoryCache } from '../../../shared/adapters/cache/memory.ts';
import { systemClock } from '../../../shared/clock.ts';
import { temporaryFolder, useServers } from '../../servers.ts';
import { cacheContract } from './contract.ts';
import { openCurrentCache, TEST_PREFIX } from './fixtures.ts';

setDefaultTimeout(60_000);
const log = pino({ level: 'silent' });
const setting = useServers('REDIS_URL');
let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// One process has one: nothing is shared.
cacheContract('memory', async () => {
  const cache = await createMemoryCache({
    clock: systemClock,
    log,
    snapshotFile: join(folder, 'views.json'),
  });
  return [cache, cache];
});

cacheContract('Redis', async () => {
  const open = () => openCurrentCache({ url: setting('REDIS_URL'), log, timeoutMs: 30_000 });
  return [await open(), await open()];
});

test('every key the suite has left in Redis ends by itself', async () => {
  const redis = new Redis(setting('REDIS_URL'));
  const keys = new Set<string>();
  for await (const page of redis.scanStream({ match: `*${TEST_PREFIX}*`, count: 1_000 })) {
    for (const key of page as string[]) keys.add(key);
  }
  const kinds = new Set(Array.from(keys, (key) => key.slice(0, key.indexOf(':'))));
  expect(kinds).toEqual(new Set(['record', 'views', 'unseeded', 'entries', 'window']));
  // -1 would be a key without an end, -2 one that has just ended.
  const endless: string[] = [];
  for (const key of keys) if ((await redis.pttl(key)) === -1) endless.push(key);
  expect(endless).toEqual([]);
  redis.disconnect();
});
