import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import pino from 'pino';
import { startTcpProxy, type TcpProxy } from '../../../infra/faults/tcp-proxy.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import { START_LIMIT_MS, useServers } from '../../servers.ts';
import { freshItem, liveRecord, openCurrentCache, until } from './fixtures.ts';

setDefaultTimeout(60_000);
const setting = useServers('REDIS_URL');

let link: TcpProxy;
let cache: Cache;

beforeAll(async () => {
  const address = new URL(setting('REDIS_URL'));
  link = await startTcpProxy({
    name: 'redis',
    target: { host: address.hostname, port: Number(address.port) },
  });
  address.hostname = '127.0.0.1';
  address.port = String(link.port);
  cache = await openCurrentCache({ url: address.href, log: pino({ level: 'silent' }), silenceMs: 800 });
}, START_LIMIT_MS);

afterAll(async () => {
  await cache?.close();
  await link?.stop();
});

const visit = (item: ReturnType<typeof freshItem>): Promise<string> =>
  cache.visit(item, false).then(
    ({ record }) => record?.state ?? 'unknown',
    (error: { code: string }) => error.code,
  );

test('a connection that has fallen silent is given up for a new one, and what waited on it was refused', async () => {
  const item = freshItem();
  await cache.putRecord(liveRecord(item));
  expect(await visit(item)).toBe('live');
  expect(link.connections()).toBe(1);
  link.freeze();
  const answers: string[] = [];
  // The silent one still counts: nobody has heard of its end.
  while (link.connections() < 2) answers.push(await visit(item));
  expect(new Set(answers)).toEqual(new Set(['UNAVAILABLE']));
  await link.heal();
  await until(async () => (await visit(item)) === 'live');
});

test('a connection on which nobody asks anything may be silent', async () => {
  const item = freshItem();
  await cache.putRecord(liveRecord(item));
  link.freeze();
  await Bun.sleep(1_000);
  expect(link.connections()).toBe(1);
  await link.heal();
  expect(await visit(item)).toBe('live');
});
