import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { Redis } from 'ioredis';
import pino from 'pino';
import { type SentinelGroup, startRedisSentinel } from '../../../infra/servers/redis-sentinel.ts';
import { createRedisCache } from '../../../shared/adapters/cache/redis.ts';
import { recordKey, STATE_KEY } from '../../../shared/adapters/cache/redis-records.ts';
import { itemKey } from '../../../shared/items/item.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import { until } from '../../faults/waiting.ts';
import { pauseServer, START_LIMIT_MS, startOwnGroup } from '../../servers.ts';
import { freshItem, liveRecord, makeCurrent } from './fixtures.ts';

setDefaultTimeout(120_000);
const log = pino({ level: 'silent' });
let group: SentinelGroup & { end(): Promise<void> };
let writer: Cache;
let reader: Cache;

beforeAll(async () => {
  group = await startOwnGroup(startRedisSentinel);
  const open = () => createRedisCache({ url: group.url, log, settledAfterMs: 0 });
  [writer, reader] = [await open(), await open()];
}, START_LIMIT_MS);
afterAll(async () => {
  await Promise.all([writer?.close(), reader?.close()]);
  await group?.end();
}, START_LIMIT_MS);

/** The two servers as they stand now. */
async function roles() {
  const primary = group.ports.indexOf(await group.primaryPort());
  const [first, second] = group.members;
  if (first === undefined || second === undefined || primary < 0) throw new Error('there are two servers');
  const replicaPort = group.ports[1 - primary] ?? 0;
  return primary === 0
    ? { primary: first, replica: second, replicaPort }
    : { primary: second, replica: first, replicaPort };
}

async function agree(): Promise<void> {
  await until('a pass has told Redis everything', async () => {
    await makeCurrent(writer);
    return (await writer.stateOf('items')).isCurrent && (await reader.stateOf('items')).isCurrent;
  });
}

const versionOf = async (cache: Cache, item: ReturnType<typeof freshItem>): Promise<number | undefined> =>
  (await cache.visit(item, false).catch(() => ({ record: null }))).record?.version;

test('a start without any sentinel fails, rather than waiting for ever', async () => {
  const opening = createRedisCache({ url: 'redis+sentinel://127.0.0.1:1,127.0.0.1:2/perch', log });
  expect(
    await opening.then(
      () => 'opened',
      () => 'failed',
    ),
  ).toBe('failed');
});

test('a replica that lags and takes over is not served from before it has heard what it lacks', async () => {
  await until('the reader can ask', async () => (await reader.stateOf('items').catch(() => null)) !== null);
  await agree();
  const item = freshItem();
  expect(await writer.putRecord(liveRecord(item, { version: 1 }))).toBe(true);
  await until('the reader serves it', async () => (await versionOf(reader, item)) === 1);
  const { primary, replica, replicaPort } = await roles();
  const direct = new Redis({ port: replicaPort, lazyConnect: true });
  await until('the replica has it', async () => (await direct.get(recordKey(itemKey(item)))) !== null);
  // Shorter than the sentinels take to hold it for dead, which is then not promoted.
  await pauseServer(replica);
  // Else version 2 would wait for it in the connection.
  const toPrimary = new Redis({ port: await group.primaryPort(), lazyConnect: true });
  await toPrimary.call('CLIENT', 'KILL', 'TYPE', 'replica');
  toPrimary.disconnect();
  expect(await writer.putRecord(liveRecord(item, { version: 2 }))).toBe(true);
  await primary.kill();
  replica.resume();
  const killedAt = performance.now();
  await until('the replica is the primary', async () => (await group.primaryPort()) === replicaPort);
  const seen = new Set<number | undefined>();
  while (
    performance.now() - killedAt < 15_000 &&
    (await reader.stateOf('items').catch(() => null)) === null
  ) {
    seen.add(await versionOf(reader, item));
    await Bun.sleep(20);
  }
  for (let n = 0; n < 50; n++) {
    seen.add(await versionOf(reader, item));
    await Bun.sleep(20);
  }
  expect([...seen]).toEqual([undefined]);
  expect((await reader.stateOf('items')).isCurrent).toBe(false);
  expect(String(await direct.get(recordKey(itemKey(item))))).toStartWith('O1|');
  await writer.putRecord(liveRecord(item, { version: 2 }));
  await agree();
  await until('it is served again', async () => (await versionOf(reader, item)) === 2);
  direct.disconnect();
  await primary.start();
});

test('a server that has followed another one meanwhile is not taken for what it was, though it never stopped', async () => {
  await agree();
  const { replicaPort } = await roles();
  await until('the replica follows', async () => (await linkOf(replicaPort)) === 'up');
  const port = await group.primaryPort();
  const direct = new Redis({ port, lazyConnect: true });
  const before = await direct.hgetall(STATE_KEY);
  const run = /^run_id:(\w+)/m.exec(await direct.info('server'))?.[1];
  expect(before['items.run']).toBe(run ?? '');
  // Away and back: it has now the data of the other, with the mark that it wrote itself.
  const other = new Redis({ port: replicaPort, lazyConnect: true });
  await other.replicaof('NO', 'ONE');
  await direct.replicaof('127.0.0.1', replicaPort);
  await until('it follows the other', async () => (await linkOf(port)) === 'up');
  await direct.replicaof('NO', 'ONE');
  expect((await direct.hgetall(STATE_KEY))['items.run']).toBe(run ?? '');
  const fresh = await createRedisCache({ url: `redis://127.0.0.1:${port}`, log, settledAfterMs: 0 });
  expect((await fresh.stateOf('items')).isCurrent).toBe(false);
  await fresh.close();
  // As the sentinels have it.
  await other.replicaof('127.0.0.1', port);
  direct.disconnect();
  other.disconnect();
});

async function linkOf(port: number): Promise<string | undefined> {
  const redis = new Redis({ port, lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    return /^master_link_status:(\w+)/m.exec(await redis.info('replication'))?.[1];
  } catch {
    return undefined;
  } finally {
    redis.disconnect();
  }
}

/** A process whose start meets the end of the failover before fails, and is started again. */
async function startedCache(): Promise<Cache> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await createRedisCache({ url: group.url, log, settledAfterMs: 0 });
    } catch (error) {
      if (attempt === 5) throw error;
      await Bun.sleep(500);
    }
  }
}

test('all of many processes find the new primary, whatever they were about to do when it changed', async () => {
  await until('there is a replica', () => group.isWhole());
  const caches = await Promise.all(Array.from({ length: 16 }, startedCache));
  try {
    const { primary } = await roles();
    await primary.kill();
    const isFound = async (cache: Cache): Promise<boolean> =>
      cache.check().then(
        () => true,
        () => false,
      );
    await until('the replica has taken over', async () => (await roles()).primary !== primary);
    for (const cache of caches) await until('it is found', () => isFound(cache), 20_000);
    await primary.start();
  } finally {
    await Promise.all(caches.map((cache) => cache.close()));
  }
});
