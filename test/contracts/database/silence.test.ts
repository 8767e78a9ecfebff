import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import pino from 'pino';
import { startTcpProxy, type TcpProxy } from '../../../infra/faults/tcp-proxy.ts';
import { openDatabase } from '../../../shared/adapters/database/postgres.ts';
import { START_LIMIT_MS, useServers } from '../../servers.ts';

setDefaultTimeout(60_000);
const setting = useServers('PG_URL');
const CONNECTIONS = 4;

let link: TcpProxy;
let sql: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  const address = new URL(setting('PG_URL'));
  link = await startTcpProxy({
    name: 'postgres',
    target: { host: address.hostname, port: Number(address.port) || 5432 },
  });
  address.hostname = '127.0.0.1';
  address.port = String(link.port);
  sql = openDatabase(address.href, {
    log: pino({ level: 'silent' }),
    maxConnections: CONNECTIONS,
    statementTimeoutMs: 1_000,
  });
}, START_LIMIT_MS);

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await link?.stop();
});

const outcome = (work: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(work).then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

test('connections that have fallen silent are given up for new ones, and what waited on them was refused', async () => {
  const all = Array.from({ length: CONNECTIONS }, () => sql.begin((tx) => tx`select pg_sleep(0.05)`));
  await Promise.all(all);
  expect(link.connections()).toBe(CONNECTIONS);
  link.strand();
  const asked = await Promise.all([
    ...Array.from({ length: 20 }, () => outcome(sql`select 1`)),
    outcome(sql.begin((tx) => tx`select 1`)),
  ]);
  expect(new Set(asked)).toEqual(new Set(['UNAVAILABLE']));
  // Of what was sent to the silent ones nothing is left; the first to ask again may still be told of it.
  while ((await outcome(sql`select 1`)) !== 'done') await Bun.sleep(20);
  const again = Array.from({ length: CONNECTIONS }, () => outcome(sql.begin((tx) => tx`select 1`)));
  expect(await Promise.all(again)).toEqual(Array.from({ length: CONNECTIONS }, () => 'done'));
});
