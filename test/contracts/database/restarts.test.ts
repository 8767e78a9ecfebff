import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { connect, createServer, type Server as TcpServer } from 'node:net';
import pino from 'pino';
import { startPostgres } from '../../../infra/servers/postgres.ts';
import type { Server } from '../../../infra/servers/server.ts';
import { until } from '../../../infra/until.ts';
import { openDatabase } from '../../../shared/adapters/database/postgres.ts';
import type { Database } from '../../../shared/items/sql.ts';
import { START_LIMIT_MS, startOwn } from '../../servers.ts';

setDefaultTimeout(60_000);
const UNAVAILABLE = { code: 'UNAVAILABLE' };

let server: Server & { url: string; end(): Promise<void> };
const open: Database[] = [];

function connectTo(url: string, maxConnections = 4): Database {
  const log = pino({ level: 'silent' });
  const sql = openDatabase(url, { log, maxConnections, statementTimeoutMs: 5_000 });
  open.push(sql);
  return sql;
}

beforeAll(async () => {
  server = await startOwn(startPostgres);
}, START_LIMIT_MS);
afterEach(async () => {
  for (const sql of open.splice(0)) await sql.end({ timeout: 1 });
});
afterAll(() => server?.end(), START_LIMIT_MS);

const failure = (work: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(work).then(
    () => undefined,
    (error: unknown) => error,
  );

test('statements and transactions made while the server restarts wait for it, and are done once', async () => {
  const sql = connectTo(server.url);
  await sql`create table done (n int)`;
  await server.stop();
  const work = Array.from({ length: 40 }, (_, n) =>
    n % 2 === 0
      ? Promise.resolve(sql`insert into done values (${n})`)
      : sql.begin((tx) => tx`insert into done values (${n})`),
  );
  const all = Promise.all(work);
  await Bun.sleep(300);
  await server.start();
  await all;
  const done = await sql`select n from done order by n`.values();
  expect(done.flat()).toEqual(work.map((_, n) => n));
});

/** Says to each of the first connections that the server is starting (SQLSTATE 57P03), and hands later ones on. */
async function startStarting(
  loadShedding: number,
): Promise<{ url: string; server: TcpServer; refused(): number }> {
  let refused = 0;
  const { port, pathname, username } = new URL(server.url);
  const fields = ['SFATAL', 'VFATAL', 'C57P03', 'Mthe database system is starting up', ''].join('\0');
  const words = Buffer.from(`E\0\0\0\0${fields}\0`);
  words.writeUInt32BE(words.length - 1, 1);
  const starting = createServer((client) => {
    client.on('error', () => undefined);
    if (refused < loadShedding) {
      refused += 1;
      client.once('data', () => client.end(words));
      return;
    }
    const real = connect(Number(port), '127.0.0.1');
    real.on('error', () => client.destroy());
    client.on('close', () => real.destroy());
    client.pipe(real).pipe(client);
  });
  await new Promise<void>((resolve) => starting.listen(0, '127.0.0.1', resolve));
  const address = starting.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `postgres://${username}@127.0.0.1:${own}${pathname}`,
    server: starting,
    refused: () => refused,
  };
}

test('a server that says it is starting is waited for, however many connections it says so to', async () => {
  const starting = await startStarting(12);
  const sql = connectTo(starting.url, 1);
  expect([...(await sql`select 1 as n`.values())]).toEqual([[1]]);
  expect(starting.refused()).toBe(12);
  starting.server.close();
});

test('in an outage that lasts work fails at once, and when it is over none fails', async () => {
  const sql = connectTo(server.url);
  await sql`select 1`;
  await server.stop();
  expect(await failure(sql`select 1`)).toMatchObject(UNAVAILABLE);
  const settled: string[] = [];
  const late = failure(sql`select 1`).then((error) => settled.push(error === undefined ? 'done' : 'refused'));
  await Promise.race([late, Bun.sleep(2_500).then(() => settled.push('still waiting'))]);
  expect(settled).toEqual(['refused']);
  await server.start();
  while ((await failure(sql`select 1`)) !== undefined) await Bun.sleep(20);
  const after = await Promise.all(Array.from({ length: 100 }, () => failure(sql`select 1`)));
  expect(after.filter((error) => error !== undefined)).toEqual([]);
});

test('of what waits there is a bound: the rest fails at once', async () => {
  const sql = connectTo(server.url, 1);
  await sql`select 1`;
  await server.stop();
  // The client has to see the end of its connection first: statements that are sent into it are refused, as they may have been done.
  await Bun.sleep(50);
  // One more than `UNANSWERED_PER_CONNECTION` may wait beside those that are sent.
  const failures: unknown[] = [];
  const work = Array.from({ length: 200 }, () =>
    failure(sql`select 1`).then((error) => {
      if (error !== undefined) failures.push(error);
    }),
  );
  // Statements that wait are refused only when the outage has lasted five seconds.
  await until('some are refused', async () => failures.length > 0);
  const refused = failures.length;
  expect(refused).toBeLessThan(200);
  await server.start();
  await Promise.all(work);
  expect(failures).toHaveLength(refused);
});
