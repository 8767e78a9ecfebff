import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import pino from 'pino';
import { freePort } from '../../../infra/servers/port.ts';
import { startRedisCluster } from '../../../infra/servers/redis-cluster.ts';
import type { ServerGroup } from '../../../infra/servers/server.ts';
import { viewsKey } from '../../../shared/adapters/cache/redis-records.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import { START_LIMIT_MS, startOwnGroup } from '../../servers.ts';
import { freshItem, liveRecord, openCurrentCache, until } from './fixtures.ts';

setDefaultTimeout(60_000);

let group: ServerGroup & { end(): Promise<void> };
/** The only node of the cluster, not over the link. */
let node: Redis;
let link: Server;
let cache: Cache;
/** Connections of the cache to the node. */
const clients = new Set<Socket>();
const state = { isDeaf: false, isRefusing: false };

beforeAll(async () => {
  group = await startOwnGroup(({ dir }) => startRedisCluster({ dir, primaries: 1 }));
  const port = Number(group.members[0]?.name.split(' ')[1]);
  node = new Redis({ port });
  const linkPort = await freePort();
  link = createServer((client) => {
    if (state.isRefusing) return void client.destroy();
    const server = connect({ host: '127.0.0.1', port });
    clients.add(client);
    client.on('data', (bytes: Uint8Array) => void server.write(bytes));
    server.on('data', (bytes: Uint8Array) => {
      if (!state.isDeaf) client.write(bytes);
    });
    for (const [one, its] of [[client, server] as const, [server, client] as const]) {
      one.on('error', () => its.destroy());
      one.on('close', () => its.destroy());
    }
    client.on('close', () => clients.delete(client));
  });
  await new Promise<void>((resolve) => {
    link.listen(linkPort, '127.0.0.1', resolve);
  });
  // The node tells its clients to come over the link.
  await node.config('SET', 'cluster-announce-ip', '127.0.0.1');
  await node.config('SET', 'cluster-announce-port', linkPort);
  const url = `redis+cluster://127.0.0.1:${linkPort}`;
  cache = await openCurrentCache({ url, log: pino({ level: 'silent' }), timeoutMs: 30_000 });
}, START_LIMIT_MS);

afterAll(async () => {
  await cache?.close();
  node?.disconnect();
  link?.close();
  await group?.end();
}, START_LIMIT_MS);

const cut = (): void => {
  for (const client of clients) client.destroy();
};

const isAway = (): Promise<boolean> =>
  cache.stateOf('items').then(
    () => false,
    () => true,
  );

const viewsIn = async (items: ItemRef[]): Promise<number[]> =>
  (await Promise.all(items.map((item) => node.get(viewsKey(itemKey(item)))))).map(Number);

/** Four items that were viewed twice, and are served: the node knows the scripts. */
async function viewedItems(): Promise<ItemRef[]> {
  const items = [freshItem(), freshItem(), freshItem(), freshItem()];
  for (const item of items) {
    await cache.putRecord(liveRecord(item));
    await until(async () => (await cache.visit(item, false)).record !== null);
    await cache.countViews(item, 2);
  }
  return items;
}

/** Loses the connection when the node has counted once more, and its replies have not come. */
async function loseReplies<T>(items: ItemRef[], count: (item: ItemRef) => Promise<T>): Promise<T[]> {
  state.isDeaf = true;
  const counting = Promise.all(items.map(count));
  await until(async () => (await viewsIn(items)).every((views) => views === 3));
  cut();
  state.isDeaf = false;
  const outcomes = await counting;
  await until(async () => !(await isAway()));
  return outcomes;
}

test('visits whose replies were lost with the connection are counted: nobody may count them again', async () => {
  const items = await viewedItems();
  const outcomes = await loseReplies(items, (item) =>
    cache.visit(item, true).then(
      () => 'answered',
      (error: { code: string }) => error.code,
    ),
  );
  expect(outcomes).toEqual(items.map(() => 'TIMEOUT'));
  expect(await viewsIn(items)).toEqual([3, 3, 3, 3]);
});

test('views whose replies were lost with the connection are not sent again', async () => {
  const items = await viewedItems();
  await loseReplies(items, (item) => cache.countViews(item, 1));
  // The waiting counts went first.
  await cache.countViews(freshItem(), 1);
  await cache.countViews(freshItem(), 1);
  expect(await viewsIn(items)).toEqual([3, 3, 3, 3]);
});

test('views that were never sent wait for the cluster', async () => {
  const [item = freshItem()] = await viewedItems();
  state.isRefusing = true;
  cut();
  await until(isAway);
  for (let view = 0; view < 20; view++) {
    await cache.countViews(item, 1);
    await Bun.sleep(50);
  }
  state.isRefusing = false;
  await until(async () => {
    await cache.countViews(freshItem(), 1);
    return (await viewsIn([item]))[0] === 22;
  });
});

test('a cluster that nobody reached for a while is served from again', async () => {
  const [item = freshItem()] = await viewedItems();
  state.isRefusing = true;
  cut();
  await until(isAway);
  await Bun.sleep(1_000);
  state.isRefusing = false;
  await until(async () => {
    const { record } = await cache.visit(item, false).catch(() => ({ record: null }));
    return record !== null;
  });
});
