import { expect, setDefaultTimeout, test } from 'bun:test';
import { Redis } from 'ioredis';
import { keepEarlierData } from '../../infra/faults/earlier-data.ts';
import { startKeyTraffic } from '../../infra/load/key-traffic.ts';
import { encodedItem, recordKey } from '../../shared/adapters/cache/redis-records.ts';
import { liveRecord, removedRecord } from '../contracts/cache/fixtures.ts';
import { useRunning } from '../started.ts';
import {
  createPage,
  OWNER_TOKEN,
  readRaw,
  removePage,
  send,
  statusOf,
  summary,
  updatePage,
} from './client.ts';
import { serverOf, startOnOwnServers } from './own-servers.ts';
import { until, untilCacheIsServed, untilReady } from './waiting.ts';

setDefaultTimeout(120_000);

// No regular sweep comes in time: what was lost must be noticed.
const perch = useRunning(() =>
  startOnOwnServers({ SWEEP_INTERVAL_SECONDS: '3600' }, { gateways: 2, kvs: 2 }),
);

/** Publishes, changes and takes down pages while a server goes back, and looks whether one is ever behind. */
async function pagesOver(name: string, goBack: () => Promise<void>): Promise<string[]> {
  const behind = new Set<string>();
  const path = (part: string) => `/faults/${name}-${part}`;
  for (const part of ['changed', 'removed'])
    expect(summary(await updatePage(perch.url, path(part), `<p>${part}, new`))).toBe('200');
  expect(summary(await removePage(perch.url, path('removed')))).toBe('204');
  let isOver = false;
  const readers = perch.gateways.map(async (gateway) => {
    while (!isOver) {
      const changed = await readRaw(gateway, path('changed'));
      if (changed.answered && changed.status === 200 && changed.text !== '<p>changed, new')
        behind.add(changed.text);
      const removed = await readRaw(gateway, path('removed'));
      if (removed.answered && removed.status === 200) behind.add(removed.text);
      await Bun.sleep(5);
    }
  });
  await goBack();
  for (const gateway of perch.gateways) await untilReady(gateway);
  await Bun.sleep(3_000);
  isOver = true;
  await Promise.all(readers);
  return [...behind];
}

async function twoPages(name: string): Promise<void> {
  for (const part of ['changed', 'removed']) {
    expect(summary(await createPage(perch.url, { id: `${name}-${part}`, content: `<p>${part}, old` }))).toBe(
      '201',
    );
  }
}

test('a Redis that comes back older: no gateway ever serves what was replaced or taken down', async () => {
  const redis = serverOf(perch, 'redis');
  await twoPages('redis');
  const traffic = await startKeyTraffic({ gateways: perch.gateways });
  await traffic.moreChanges(100);
  const goBack = await keepEarlierData(redis, 'redis');
  await traffic.moreChanges(200);
  expect(await pagesOver('redis', goBack)).toEqual([]);
  await traffic.moreChanges(200);
  await traffic.stop();
  expect(traffic.faults).toEqual([]);
  expect(await traffic.missing()).toEqual([]);
});

/** Updates that are lost. */
const LOST = 100;

test('a PostgreSQL that comes back older: what is acknowledged from then on is read at once', async () => {
  const postgres = serverOf(perch, 'postgres');
  const [first = '', second = ''] = perch.gateways;
  await twoPages('postgres');
  await postgres.stop();
  const goBack = await keepEarlierData(postgres, 'postgres');
  await postgres.start();
  await untilReady(first);
  const path = '/faults/postgres-changed';
  // More than one reservation of blob keys: the last of them is lost.
  for (let n = 0; n < LOST; n++) expect(summary(await updatePage(first, path, `<p>lost ${n}`))).toBe('200');
  expect(summary(await createPage(first, { id: 'postgres-lost', content: '<p>lost' }))).toBe('201');
  expect(await readRaw(second, path)).toMatchObject({ text: `<p>lost ${LOST - 1}` });

  await goBack();
  const seen: string[] = [];
  for (let n = 0; n < 20; n++) {
    const changed = await updatePage(n % 2 === 0 ? first : second, path, `<p>new ${n}`);
    if (!changed.answered || changed.status !== 200) continue;
    for (const gateway of perch.gateways) {
      const { text } = (await readRaw(gateway, path)) as { text: string };
      if (text !== `<p>new ${n}`) seen.push(`${text} after new ${n}`);
    }
  }
  expect(seen).toEqual([]);
  for (const [n, gateway] of perch.gateways.entries()) {
    const created = await createPage(gateway, { id: `postgres-after-${n}`, content: '<p>after' });
    expect(summary(created)).toBe('201');
  }
  await until('what was lost is gone', async () => {
    const statuses = await Promise.all(
      perch.gateways.map((gateway) => readRaw(gateway, '/faults/postgres-lost')),
    );
    return statuses.every((status) => statusOf(status) === 404);
  });
});

test('a removal that PostgreSQL has lost and the cache has: the item can be changed and removed before any pass', async () => {
  await untilCacheIsServed(perch);
  const redis = new Redis(perch.env.REDIS_URL ?? '');
  const [first = '', second = ''] = perch.gateways;
  const item = { namespace: 'faults', id: 'there-again' };
  const key = recordKey('faults/there-again');
  const ask = (method: string, path: string, value?: unknown) =>
    send(`${first}/api/kv${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', 'X-Owner-Token': OWNER_TOKEN },
      body: value === undefined ? undefined : JSON.stringify(value),
    });
  const read = () => send(`${second}/faults/there-again/first`);
  /** Gives the cache the record of a removal that the database knows nothing of. */
  const loseRemoval = async (): Promise<void> => {
    const [, version] = /^.(\d+)/.exec((await redis.get(key)) ?? '') ?? [];
    await redis.set(key, encodedItem(removedRecord(item, Number(version) + 1)), 'PX', 60_000);
    expect(summary(await read())).toBe('404 NOT_FOUND');
  };
  const made = await ask('POST', '?ns=faults&id=there-again', { key: 'first', value: 'old' });
  expect(summary(made)).toBe('201');
  await loseRemoval();
  expect(summary(await ask('PUT', '/faults/there-again/first', { value: 'new' }))).toBe('200');
  expect(await read()).toMatchObject({ status: 200, text: 'new' });
  await loseRemoval();
  expect(summary(await ask('DELETE', '/faults/there-again'))).toBe('204');
  // Readers without a record hear what the database says.
  await redis.del(key);
  expect(summary(await read())).toBe('404 NOT_FOUND');
  redis.disconnect();
});

test('a route whose content is gone: content is asked anew before anybody hears 503', async () => {
  const redis = new Redis(perch.env.REDIS_URL ?? '');
  const item = { namespace: 'faults', id: 'without-blob' };
  expect(summary(await createPage(perch.url, { id: item.id, content: '<p>there' }))).toBe('201');
  for (const path of ['/faults/without-blob?raw=true', '/api/html/faults/without-blob?raw=true']) {
    for (const version of [1, Number.MAX_SAFE_INTEGER]) {
      const old = liveRecord(item, { version, expiresAt: Date.now() + 60_000 });
      await redis.set(recordKey('faults/without-blob'), encodedItem(old), 'PX', 60_000);
      const seen = await send(`${perch.url}${path}`, { headers: { 'X-Owner-Token': OWNER_TOKEN } });
      expect([path, version, summary(seen)]).toEqual([path, version, '200']);
      expect(seen).toMatchObject({ text: '<p>there' });
    }
  }
  redis.disconnect();
});
