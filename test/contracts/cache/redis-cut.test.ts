import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { connect, createServer, type Server } from 'node:net';
import pino from 'pino';
import { freePort } from '../../../infra/servers/port.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import { START_LIMIT_MS, useServers } from '../../servers.ts';
import { freshItem, liveRecord, openCurrentCache, until } from './fixtures.ts';

setDefaultTimeout(60_000);
const setting = useServers('REDIS_URL');
const log = pino({ level: 'silent' });

let link: Server;
let cache: Cache;
/** A second cache, whose link stays up. */
let other: Cache;
/** Of the next reply so much passes before the connection ends: a part of it, as when Redis dies over it. */
let partOfNext: number | null = null;

beforeAll(async () => {
  const address = new URL(setting('REDIS_URL'));
  const target = { host: address.hostname, port: Number(address.port) };
  const port = await freePort();
  link = createServer((client) => {
    const server = connect(target);
    client.on('data', (bytes: Uint8Array) => void server.write(bytes));
    server.on('data', (bytes: Uint8Array) => {
      if (partOfNext === null) return void client.write(bytes);
      client.end(bytes.subarray(0, Math.floor(bytes.length * partOfNext)));
      partOfNext = null;
      server.destroy();
    });
    for (const [one, its] of [[client, server] as const, [server, client] as const]) {
      one.on('error', () => its.destroy());
      one.on('close', () => its.destroySoon());
    }
  });
  await new Promise<void>((resolve) => {
    link.listen(port, '127.0.0.1', resolve);
  });
  other = await openCurrentCache({ url: address.href, log });
  address.hostname = '127.0.0.1';
  address.port = String(port);
  cache = await openCurrentCache({ url: address.href, log, timeoutMs: 5_000 });
}, START_LIMIT_MS);

afterAll(async () => {
  await cache?.close();
  await other?.close();
  link?.close();
});

const back = (): Promise<void> =>
  until(() =>
    cache.check().then(
      () => true,
      () => false,
    ),
  );

test('visits behind the end of a reply that was cut off may be counted: nobody may count them again', async () => {
  // Two commands: 50 visits are one (`bundle`), and the other ten are the last sixth of the reply.
  const items = Array.from({ length: 60 }, () => freshItem());
  for (const item of items) await cache.putRecord(liveRecord(item));
  // The server knows the script and the items are noted: the next reply is of the visits alone.
  await Promise.all(items.map((item) => cache.visit(item, true)));
  partOfNext = 0.9;
  const outcomes = await Promise.all(
    items.map((item) =>
      cache.visit(item, true).then(
        ({ views }) => views,
        (error: { code: string }) => error.code,
      ),
    ),
  );
  expect(new Set(outcomes.slice(0, 50))).toEqual(new Set([2]));
  expect(new Set(outcomes.slice(50))).toEqual(new Set(['TIMEOUT']));
  await back();
  expect(new Set(await other.viewsOf(items))).toEqual(new Set([2]));
});

test('a command whose reply was cut off may have counted for all in it', async () => {
  const items = [freshItem(), freshItem(), freshItem(), freshItem()];
  for (const item of items) await cache.putRecord(liveRecord(item));
  await Promise.all(items.map((item) => cache.visit(item, true)));
  partOfNext = 0.5;
  const refused = await Promise.allSettled(items.map((item) => cache.visit(item, true)));
  expect(refused).toMatchObject(items.map(() => ({ reason: { code: 'TIMEOUT' } })));
  await back();
  expect(await other.viewsOf(items)).toEqual([2, 2, 2, 2]);
});

test('views behind the end of a reply that was cut off are not sent again', async () => {
  const items = [freshItem(), freshItem(), freshItem(), freshItem()];
  for (const item of items) await cache.putRecord(liveRecord(item));
  await Promise.all(items.map((item) => cache.countViews(item, 1)));
  partOfNext = 0.5;
  await Promise.all(items.map((item) => cache.countViews(item, 1)));
  await back();
  // The waiting counts went first.
  await cache.countViews(freshItem(), 1);
  await cache.countViews(freshItem(), 1);
  expect(await other.viewsOf(items)).toEqual([2, 2, 2, 2]);
});
