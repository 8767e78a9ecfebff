import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createServer, type Server } from 'node:net';
import pino from 'pino';
import { openDatabase } from '../../../shared/adapters/database/postgres.ts';
import type { Database } from '../../../shared/items/sql.ts';
import { START_LIMIT_MS, useServers } from '../../servers.ts';

setDefaultTimeout(60_000);
const setting = useServers('PG_URL');
const open: Database[] = [];
let admin: Database;

function connect(maxConnections: number, url = setting('PG_URL')): Database {
  const log = pino({ level: 'silent' });
  const sql = openDatabase(url, { log, maxConnections, statementTimeoutMs: 5_000 });
  open.push(sql);
  return sql;
}

beforeAll(() => {
  admin = connect(1);
}, START_LIMIT_MS);

afterEach(async () => {
  for (const sql of open.splice(1)) await sql.end({ timeout: 1 });
});

afterAll(async () => {
  await admin?.end({ timeout: 1 });
});

const failure = async (work: PromiseLike<unknown>): Promise<unknown> =>
  await Promise.resolve(work).then(
    () => undefined,
    (error: unknown) => error,
  );

test('a transaction that begins behind a hundred statements has its connection for itself', async () => {
  const sql = connect(2);
  const table = `behind_${crypto.randomUUID().replaceAll('-', '')}`;
  await admin.unsafe(`create table ${table} (n int)`);
  await Promise.all([1, 2].map(() => sql.begin((tx) => tx`select pg_sleep(0.05)`)));
  for (const count of [99, 100, 101]) {
    const busy = failure(sql.begin((tx) => tx`select pg_sleep(0.3)`));
    await Bun.sleep(100);
    // Sent at once, as `then` is called here and not by a later `await`.
    const statements = Array.from({ length: count }, () =>
      sql`select 1`.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    const rolledBack = sql.begin(async (tx) => {
      await tx.unsafe(`insert into ${table} values (1)`);
      throw new Error('given up');
    });
    expect(await failure(rolledBack)).toMatchObject({ message: 'given up' });
    const outcomes = await Promise.all([busy, ...statements]);
    expect(outcomes.filter((error) => error !== undefined)).toEqual([]);
    await sql.unsafe(`insert into ${table} values (${count})`);
  }
  const kept = await admin.unsafe(`select n from ${table} order by n`).values();
  expect([...kept]).toEqual([[99], [100], [101]]);
  await admin.unsafe(`drop table ${table}`);
});

test('an answer is whole also after one that broke off, with or without names of columns', async () => {
  for (const isRaw of [false, true]) {
    const sql = connect(1);
    const [row] = await sql`select pg_backend_pid() as pid`;
    // Rows so wide that the server sends some of them before the last is computed.
    const broken = failure(sql`select repeat('x', 100000), pg_sleep(0.02) from generate_series(1, 200)`);
    await Bun.sleep(300);
    await admin`select pg_terminate_backend(${Number(row?.pid)})`;
    expect(await broken).toMatchObject({ code: 'UNAVAILABLE' });
    const found = isRaw ? await sql`select 1 as n`.values() : await sql`select 1 as n`;
    expect(JSON.stringify(found)).toBe(isRaw ? '[[1]]' : '[{"n":1}]');
    expect(found).toHaveLength(1);
  }
});

test('a statement is sent again as it was wanted, with its parameters and its form of rows', async () => {
  const sql = connect(1);
  const [row] = await sql`select pg_backend_pid() as pid`;
  const broken = failure(sql`select pg_sleep(5)`);
  await Bun.sleep(100);
  await admin`select pg_terminate_backend(${Number(row?.pid)})`;
  expect(await broken).toMatchObject({ code: 'UNAVAILABLE' });
  // The client hands the end of the first connection to this one instead of sending it.
  expect([...(await sql`select ${'a'}::text as text, ${2}::int as n`.values())]).toEqual([['a', 2]]);
});

test('statements of a transaction whose connection is lost take no room for good', async () => {
  const sql = connect(1);
  // Two such losses leave no room for 60 statements, if those that the client held back stay counted.
  for (const n of [1, 2]) {
    const work = sql.begin(async (tx) => {
      const [row] = await tx`select pg_backend_pid() as pid`;
      // The client holds back what follows a statement whose parameters the server has yet to describe.
      const first = tx`select pg_sleep(5), ${n}::int as n`;
      const queued = Array.from({ length: 30 }, (_, i) => tx`select ${i}::int as i`);
      const end = Bun.sleep(50).then(() => admin`select pg_terminate_backend(${Number(row?.pid)})`);
      await Promise.all([first, ...queued, end]);
    });
    expect(await failure(work)).toMatchObject({ code: 'UNAVAILABLE' });
  }
  const outcomes = await Promise.all(Array.from({ length: 60 }, () => failure(sql`select 1`)));
  expect(outcomes.filter((error) => error !== undefined)).toEqual([]);
});

test('a server that takes connections and closes them without a word is not asked in a loop', async () => {
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const sql = connect(1, `postgres://perch@127.0.0.1:${port}/perch`);
  expect(await failure(sql`select 1`)).toMatchObject({ code: 'UNAVAILABLE', cause: { code: 'ECONNRESET' } });
  // Each attempt connects once, and for five seconds there is one every quarter of a second.
  expect(connections).toBeLessThanOrEqual(30);
  server.close();
});
