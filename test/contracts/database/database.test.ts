import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../shared/adapters/database/embedded/postgres.ts';
import { openDatabase } from '../../../shared/adapters/database/postgres.ts';
import { PerchError } from '../../../shared/perch-error.ts';
import { BUS_BOUNDS, DATABASE_CONNECTIONS } from '../../../shared/wiring/dependencies.ts';

const isUnavailable = (error: unknown): boolean =>
  error instanceof PerchError && error.code === 'UNAVAILABLE';

const LONG = 60_000;
const log = pino({ level: 'silent' });
const open: ReturnType<typeof openDatabase>[] = [];
const uncaught: unknown[] = [];
const catchAll = (error: unknown) => uncaught.push(error);
let temp = '';
let server: EmbeddedPostgres;

beforeAll(async () => {
  process.on('uncaughtException', catchAll);
  process.on('unhandledRejection', catchAll);
  temp = await mkdtemp(join(tmpdir(), 'perch-database-'));
  // Root's server runs as another user, who must get in; else its database is kept outside this folder.
  await chmod(temp, 0o755);
  server = await startEmbeddedPostgres({ dataDir: join(temp, 'data'), log });
}, LONG);

afterEach(async () => {
  for (const sql of open.splice(0)) await sql.end({ timeout: 1 });
  expect(uncaught.splice(0)).toEqual([]);
});

afterAll(async () => {
  await server.stop();
  await rm(temp, { recursive: true, force: true });
  process.off('uncaughtException', catchAll);
  process.off('unhandledRejection', catchAll);
}, LONG);

function connect(url = server.url, statementTimeoutMs = 1000, maxConnections = 4) {
  const sql = openDatabase(url, { log, maxConnections, statementTimeoutMs });
  open.push(sql);
  return sql;
}

async function serverPid(): Promise<number> {
  const file = join(temp, 'data', 'postgres', 'cluster', 'postmaster.pid');
  return Number((await readFile(file, 'utf8')).split('\n')[0]);
}

const failure = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => undefined,
    (error: unknown) => error,
  );

test('values arrive as the repositories expect them', async () => {
  const sql = connect();
  const at = Date.UTC(2026, 10, 21, 7, 20, 21, 123);
  const [row] = await sql`
    select ${9_007_199_254_740_991}::int8 as big, ${at}::timestamptz as at, ${new Date(at)}::timestamptz as date,
      ${Buffer.from([0, 255])}::bytea as bytes, ${['a', 'b,"c']}::text[] as texts, ${[1, 2]}::int8[] as numbers,
      ${sql.json({ a: [1] })}::jsonb as json, ${null}::text as nothing`;
  expect({ ...row }).toEqual({
    big: 9_007_199_254_740_991,
    at,
    date: at,
    bytes: Buffer.from([0, 255]),
    texts: ['a', 'b,"c'],
    numbers: [1, 2],
    json: { a: [1] },
    nothing: null,
  });
});

test("the server's own defaults change neither values nor locking", async () => {
  // A database is copied for it, which may take longer than the statements of this file may.
  const admin = postgres(server.url, { max: 1, onnotice: () => undefined });
  await admin`create database foreign_defaults`;
  await admin`alter database foreign_defaults set datestyle = 'German'`;
  await admin`alter database foreign_defaults set default_transaction_isolation = 'serializable'`;
  await admin.end();
  const sql = connect(server.url.replace(/\/postgres$/, '/foreign_defaults'));
  const at = Date.UTC(2026, 10, 21, 7, 20, 21, 123);
  const [row] = await sql`
    select ${at}::timestamptz as at, current_setting('transaction_isolation') as isolation`;
  expect({ ...row }).toEqual({ at, isolation: 'read committed' });
});

test('a statement may be built of fragments, run by a transaction, and rolled back', async () => {
  const sql = connect();
  await sql`create table parts (n int)`;
  const insert = (n: number) => sql`insert into parts values (${n})`;
  const failed = await failure(
    sql.begin(async (tx) => {
      await tx`insert into parts values (1)`;
      throw new Error('mine');
    }),
  );
  expect(failed).toEqual(new Error('mine'));
  const result = await sql.begin(async (tx) => {
    const inner = await failure(
      tx.savepoint(async (nested) => {
        await nested`insert into parts values (2)`;
        await nested`insert into nowhere values (2)`;
      }),
    );
    expect(inner).toMatchObject({ code: '42P01' });
    await tx`insert into parts values (3)`;
    return 'done';
  });
  expect(result).toBe('done');
  await insert(4);
  const rows = await sql`select n from parts where ${sql`n > ${1}`} order by n`.values();
  expect([...rows]).toEqual([[3], [4]]);
});

test(
  'a wrong statement is no unavailability; a timeout, a closed port and a full server are',
  async () => {
    const sql = connect();
    expect(isUnavailable(await failure(sql`select nonsense`))).toBe(false);
    expect(isUnavailable(await failure(sql`select 1/0`))).toBe(false);
    const slow = await failure(sql`select pg_sleep(5)`);
    expect(slow).toMatchObject({ code: 'UNAVAILABLE', cause: { code: '57014' } });
    const nobody = connect('postgres://perch:none@127.0.0.1:1/postgres');
    expect(isUnavailable(await failure(nobody`select 1`))).toBe(true);
    expect(isUnavailable(await failure(nobody.begin((tx) => tx`select 1`)))).toBe(true);
    const many = connect(server.url, 3000, 60);
    const refused = await Promise.all(Array.from({ length: 60 }, () => failure(many`select pg_sleep(0.3)`)));
    const errors = refused.filter((error) => error !== undefined);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.filter((error) => !isUnavailable(error))).toEqual([]);
  },
  LONG,
);

test(
  'under load a killed server costs failed statements only: no half transaction, nothing stuck, nothing uncaught',
  async () => {
    const sql = connect(server.url, 2000, 6);
    await sql`create table pairs (tag text)`;
    const errors: unknown[] = [];
    let done = 0;
    let stopping = false;
    const work = async (worker: number): Promise<void> => {
      for (let turn = 0; !stopping; turn += 1) {
        const tag = `${worker}/${turn}`;
        try {
          if (worker % 2 === 0) await sql`select ${turn}::int`;
          else
            await sql.begin(async (tx) => {
              await tx`insert into pairs values (${tag})`;
              await Bun.sleep(Math.random() * 3);
              await tx`insert into pairs values (${tag})`;
            });
          done += 1;
        } catch (error) {
          errors.push(error);
          await Bun.sleep(5);
        }
      }
    };
    const workers = Array.from({ length: 20 }, (_, worker) => work(worker));
    for (let round = 0; round < 3; round += 1) {
      await Bun.sleep(200);
      const pid = await serverPid();
      process.kill(pid, 'SIGKILL');
      const before = done;
      while ((await serverPid().catch(() => pid)) === pid || done < before + 500) await Bun.sleep(10);
    }
    stopping = true;
    await Promise.all(workers);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.filter((error) => !isUnavailable(error))).toEqual([]);
    expect([...(await sql`select tag from pairs group by tag having count(*) <> 2`.values())]).toEqual([]);
    // Every connection of the pool works again.
    await Promise.all(Array.from({ length: 12 }, () => sql.begin((tx) => tx`select pg_sleep(0.05)`)));
  },
  LONG,
);

test(
  'a frozen server fails statements and transactions in time, and is used again when it thaws',
  async () => {
    const sql = connect(server.url, 1_000, 2);
    await sql`create table frozen (n int)`;
    await Promise.all([sql`select pg_sleep(0.05)`, sql`select pg_sleep(0.05)`]);
    const postmaster = await serverPid();
    const below = execFileSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)]).toString();
    const pids = [postmaster, ...below.trim().split(/\s+/).map(Number)];
    let inside: Promise<unknown> | undefined;
    const caught = await failure(
      sql.begin(async (tx) => {
        await tx`insert into frozen values (1)`;
        for (const pid of pids) process.kill(pid, 'SIGSTOP');
        inside = failure(tx`insert into frozen values (2)`);
        throw await inside;
      }),
    );
    const others = await Promise.all([failure(sql`select 1`), failure(sql.begin((tx) => tx`select 1`))]);
    const flood = await Promise.all(Array.from({ length: 500 }, () => failure(sql`select 1`)));
    for (const pid of pids) process.kill(pid, 'SIGCONT');
    for (const error of [caught, ...others, ...flood]) expect(isUnavailable(error)).toBe(true);
    expect(flood).toContainEqual(
      expect.objectContaining({
        isRefusal: true,
        cause: expect.objectContaining({ code: 'DATABASE_BUSY' }),
      }),
    );
    while ((await failure(sql`select 1`)) !== undefined) await Bun.sleep(20);
    await Promise.all(Array.from({ length: 4 }, () => sql.begin((tx) => tx`select pg_sleep(0.02)`)));
    expect([...(await sql`select count(*) as n from frozen`.values())]).toEqual([[0]]);
  },
  LONG,
);

test(
  'what is asked while the server recovers from a crash is done when it is back',
  async () => {
    const [statements, transactions, others] = [
      connect(server.url, 6000, 1),
      connect(server.url, 6000, 1),
      connect(server.url, 6000, 2),
    ];
    const pidOf = async (): Promise<number> => {
      const [row] = await others.begin((tx) => tx`select pg_backend_pid() as pid, pg_sleep(0.2)`);
      return Number(row?.pid);
    };
    const [frozen = 0, killed = 0] = await Promise.all([pidOf(), pidOf()]);
    const underWay = [
      failure(statements`select pg_sleep(5)`),
      failure(transactions.begin((tx) => tx`select pg_sleep(5)`)),
    ];
    await Bun.sleep(200);
    // The server cannot recover before all its processes have ended; it kills one that is stopped after 5 s.
    process.kill(frozen, 'SIGSTOP');
    process.kill(killed, 'SIGKILL');
    for (const error of await Promise.all(underWay)) expect(isUnavailable(error)).toBe(true);
    // The plain client says that the server is not back yet.
    const plain = postgres(server.url, { max: 1, onnotice: () => undefined });
    expect(await failure(plain`select 1`)).toMatchObject({ code: '57P03' });
    await plain.end({ timeout: 1 });
    const asked = await Promise.all([
      failure(statements`select ${1}::int`),
      failure(transactions.begin((tx) => tx`select 1`)),
    ]);
    expect(asked).toEqual([undefined, undefined]);
  },
  LONG,
);

test(
  'a burst of as many transactions as a process has operations under way is done, though few run at once',
  async () => {
    const sql = connect(server.url, 1000, DATABASE_CONNECTIONS);
    const burst = Array.from({ length: BUS_BOUNDS.operations }, () =>
      failure(sql.begin((tx) => tx`select 1`)),
    );
    expect((await Promise.all(burst)).filter((error) => error !== undefined)).toEqual([]);
  },
  LONG,
);
