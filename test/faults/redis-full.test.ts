import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { startKeyTraffic } from '../../infra/load/key-traffic.ts';
import type { Instance } from '../instance.ts';
import {
  createPage,
  OWNER_TOKEN,
  readRaw,
  removePage,
  send,
  summary,
  updatePage,
  viewsOf,
} from './client.ts';
import { processesOf, startOnOwnServers } from './own-servers.ts';
import { until } from './waiting.ts';

setDefaultTimeout(120_000);

let perch: Instance;
let redis: Bun.RedisClient;

beforeAll(async () => {
  // No regular sweep comes in time: what is true must be seen without.
  perch = await startOnOwnServers({ SWEEP_INTERVAL_SECONDS: '3600' }, { gateways: 2, kvs: 2 });
  redis = new Bun.RedisClient(perch.env.REDIS_URL ?? '');
}, 300_000);
afterAll(async () => {
  redis?.close();
  await perch?.stop();
}, 300_000);

/** Refuses all that takes memory; nothing is evicted. */
async function whileFull(work: () => Promise<void>): Promise<void> {
  await redis.send('CONFIG', ['SET', 'maxmemory', '1']);
  try {
    await work();
  } finally {
    await redis.send('CONFIG', ['SET', 'maxmemory', '0']);
  }
}

/** Reads a page from all gateways, more than once. */
async function everywhere(path: string): Promise<string[]> {
  const seen = new Set<string>();
  for (const url of [...perch.gateways, ...perch.gateways]) {
    const answer = await readRaw(url, path);
    seen.add(answer.answered && answer.status === 200 ? answer.text : summary(answer));
  }
  return [...seen];
}

const create = async (id: string): Promise<void> =>
  expect(summary(await createPage(perch.url, { id, content: `<p>${id}, old` }))).toBe('201');

test('writes are acknowledged, and every gateway serves what they made', async () => {
  const processes = processesOf(perch);
  for (const id of ['updated', 'removed', 'unread']) await create(id);
  await everywhere('/faults/updated');
  await everywhere('/faults/removed');
  await whileFull(async () => {
    expect(summary(await updatePage(perch.url, '/faults/updated', '<p>updated, new'))).toBe('200');
    expect(await everywhere('/faults/updated')).toEqual(['<p>updated, new']);
    expect(summary(await removePage(perch.url, '/faults/removed'))).toBe('204');
    expect(await everywhere('/faults/removed')).toEqual(['404 NOT_FOUND']);
    // Nothing of these is in Redis, and nothing can be.
    await create('created');
    expect(await everywhere('/faults/created')).toEqual(['<p>created, old']);
    expect(summary(await updatePage(perch.url, '/faults/created', '<p>created, new'))).toBe('200');
    expect(await everywhere('/faults/created')).toEqual(['<p>created, new']);
    await create('short');
    expect(summary(await removePage(perch.url, '/faults/short'))).toBe('204');
    expect(await everywhere('/faults/short')).toEqual(['404 NOT_FOUND']);
  });
  expect(await everywhere('/faults/updated')).toEqual(['<p>updated, new']);
  expect(await everywhere('/faults/created')).toEqual(['<p>created, new']);
  expect(await everywhere('/faults/removed')).toEqual(['404 NOT_FOUND']);
  expect(processesOf(perch)).toEqual(processes);
});

test('keys of stores are never served with an older value, while it is full and after', async () => {
  const traffic = await startKeyTraffic({ gateways: perch.gateways });
  for (let round = 0; round < 3; round++) {
    await traffic.moreChanges(20);
    await whileFull(() => traffic.moreChanges(40));
  }
  await traffic.stop();
  expect(traffic.faults).toEqual([]);
  expect(traffic.refused()).toBe(0);
  expect(await traffic.missing()).toEqual([]);
});

test('views that cannot be counted are counted when there is room', async () => {
  await create('viewed');
  await everywhere('/faults/viewed');
  const before = await viewsOf(perch.url, '/faults/viewed');
  await create('protected');
  let reads = 0;
  await whileFull(async () => {
    await create('viewed-unknown');
    for (; reads < 5; reads++) {
      for (const url of perch.gateways) {
        expect(summary(await readRaw(url, '/faults/viewed'))).toBe('200');
        expect(summary(await readRaw(url, '/faults/viewed-unknown'))).toBe('200');
      }
    }
  });
  const counted = reads * perch.gateways.length;
  await until(
    'they are counted',
    async () => (await viewsOf(perch.url, '/faults/viewed')) === before + counted,
  );
  await until(
    'also of what was not known',
    async () => (await viewsOf(perch.url, '/faults/viewed-unknown')) === counted,
  );
});

test('wrong passwords are limited while they cannot be counted in Redis', async () => {
  const headers = { 'Content-Type': 'text/html', 'X-Owner-Token': OWNER_TOKEN, 'X-Password': 'right' };
  const created = await send(`${perch.url}/api/html?ns=faults&id=closed`, {
    method: 'POST',
    headers,
    body: '<p>',
  });
  expect(summary(created)).toBe('201');
  const attempt = (password: string) => send(`${perch.url}/faults/closed?raw=true&p=${password}`);
  await whileFull(async () => {
    expect(summary(await attempt('right'))).toBe('200');
    for (let wrong = 1; wrong <= 10; wrong++)
      expect(summary(await attempt('wrong'))).toBe('403 PASSWORD_WRONG');
    expect(summary(await attempt('wrong'))).toBe('429 RATE_LIMITED');
    expect(summary(await attempt('right'))).toBe('429 RATE_LIMITED');
  });
});
