import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import { startPostgres } from '../../../infra/servers/postgres.ts';
import { openDatabase } from '../../../shared/adapters/database/postgres.ts';
import type { Database } from '../../../shared/items/sql.ts';
import { runTool } from '../../backup-tools.ts';
import { until } from '../../faults/waiting.ts';
import { createMigratedDatabase } from '../../migrated-database.ts';
import { START_LIMIT_MS, startOwn, temporaryFolder } from '../../servers.ts';
import { enableTls, startStandby } from './changed-servers.ts';

setDefaultTimeout(120_000);
type Own = Awaited<ReturnType<typeof startOwn<Awaited<ReturnType<typeof startPostgres>>>>>;

let primary: Own;
let standby: Own;
const open: Database[] = [];

beforeAll(async () => {
  primary = await startOwn(startPostgres);
  // The standby is a copy of it, and has its certificate.
  await enableTls(primary);
  standby = await startOwn((options) => startStandby(primary.url, options));
}, START_LIMIT_MS);
afterEach(async () => {
  await Promise.all(open.splice(0).map((sql) => sql.end({ timeout: 1 })));
});
afterAll(async () => {
  await standby?.end();
  await primary?.end();
}, START_LIMIT_MS);

const portOf = ({ url }: Own): string => new URL(url).port;

/** The client as the services open it, for both servers in this order. */
function connect(servers: Own[], maxConnections = 4, sslmode = 'disable'): Database {
  return connectTo(servers.map(portOf), maxConnections, sslmode);
}

/** The form that docs/availability.md recommends. */
function addressOf(ports: Array<string | number>, sslmode: string, database = 'postgres'): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  return `postgres://postgres@${hosts}/${database}?target_session_attrs=read-write&sslmode=${sslmode}`;
}

function connectTo(ports: Array<string | number>, maxConnections: number, sslmode = 'disable'): Database {
  const sql = openDatabase(addressOf(ports, sslmode), {
    log: pino({ level: 'silent' }),
    maxConnections,
    statementTimeoutMs: 5_000,
  });
  open.push(sql);
  return sql;
}

const codeOf = (work: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(work).then(
    () => 'done',
    (error: { code?: string }) => error.code ?? String(error),
  );

test.each(['disable', 'require'])(
  'the standby is passed over, wherever it stands in the list: sslmode=%s',
  async (mode) => {
    for (const servers of [
      [standby, primary],
      [primary, standby],
    ]) {
      const sql = connect(servers, 4, mode);
      const asked = Array.from({ length: 12 }, () => sql`select pg_is_in_recovery() as standby`);
      const answers = (await Promise.all(asked)).map(([row]) => row?.standby);
      expect(new Set(answers)).toEqual(new Set([false]));
      expect(await sql.begin((tx) => tx`select pg_is_in_recovery() as standby`)).toMatchObject([
        { standby: false },
      ]);
    }
  },
);

test.each(['disable', 'require'])(
  'a server that accepts connections and says nothing is passed over: sslmode=%s',
  async (mode) => {
    const dark = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(dark, 'listening');
    const address = dark.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const sql = connectTo([port, portOf(primary)], 2, mode);
    try {
      await until('the other one answers', async () => (await codeOf(sql`select 1`)) === 'done');
    } finally {
      dark.close();
    }
  },
);

test('a backup finds the primary, wherever it stands in the list', async () => {
  const { name, drop } = await createMigratedDatabase(primary.url);
  const folder = await temporaryFolder();
  const backUp = (to: string, servers: Own[]) =>
    runTool(
      'backup',
      { PG_URL: addressOf(servers.map(portOf), 'disable', name), DATA_DIR: folder },
      ...['--to', join(folder, to)],
    );
  try {
    await until('the standby has the database', async () => {
      const sql = postgres(addressOf([portOf(standby)], 'disable', name), {
        max: 1,
        onnotice: () => undefined,
      });
      return (await codeOf(sql`select from items`).finally(() => sql.end())) === 'done';
    });
    expect(await backUp('standby-first', [standby, primary])).toMatchObject({ code: 0, errors: '' });
    expect(await backUp('primary-first', [primary, standby])).toMatchObject({ code: 0, errors: '' });
    expect((await backUp('standbys', [standby, standby])).code).toBe(1);
  } finally {
    await drop();
    await rm(folder, { recursive: true });
  }
});

test('a statement that a standby refuses is sent again on a new connection', async () => {
  const sql = connect([primary, standby], 1);
  await sql`create table if not exists refused (n int)`;
  // Of this session alone the server has become a standby: it takes no changes, and says so.
  await sql`create function public.pg_is_in_recovery() returns bool language sql as 'select true'`;
  await sql`set search_path = public, pg_catalog`;
  await sql`set default_transaction_read_only = on`;
  expect(await codeOf(sql`insert into refused values (1)`)).toBe('done');
  expect(await sql`show default_transaction_read_only`).toMatchObject([
    { defaultTransactionReadOnly: 'off' },
  ]);
  expect(await sql`select count(*) from refused`).toMatchObject([{ count: 1 }]);
  await sql`drop function public.pg_is_in_recovery()`;
});

test('with one server nothing changes: what it refuses is refused at once', async () => {
  const sql = openDatabase(primary.url, {
    log: pino({ level: 'silent' }),
    maxConnections: 1,
    statementTimeoutMs: 5_000,
  });
  open.push(sql);
  await sql`set default_transaction_read_only = on`;
  expect(await codeOf(sql`create table never (n int)`)).toBe('UNAVAILABLE');
  expect(await sql`show default_transaction_read_only`).toMatchObject([{ defaultTransactionReadOnly: 'on' }]);
});

test('a commit that was given up before the standby had it is not acknowledged', async () => {
  const admin = postgres(primary.url, { max: 1, onnotice: () => undefined });
  await admin`create table if not exists unconfirmed (n int)`;
  await admin`alter system set synchronous_standby_names = 'nobody'`;
  await admin`select pg_reload_conf()`;
  await admin`set synchronous_commit = local`;
  await until('the server wants a standby', async () => {
    const [row] = await admin`show synchronous_standby_names`;
    return row?.synchronous_standby_names === 'nobody';
  });
  try {
    const sql = connect([primary, standby], 2);
    for (const write of [
      () => sql`insert into unconfirmed values (${1})`,
      () => sql.begin((tx) => tx`insert into unconfirmed values (${2})`),
    ]) {
      const outcome = codeOf(write());
      await until('the commit waits', async () => {
        const [stopped] = await admin`
          select pg_cancel_backend(pid) as done from pg_stat_activity where wait_event = 'SyncRep'`;
        return stopped?.done === true;
      });
      expect(await outcome).toBe('UNAVAILABLE');
    }
    await until('the client goes on', async () => (await codeOf(sql`select 1`)) === 'done');
  } finally {
    await admin`alter system reset synchronous_standby_names`;
    await admin`select pg_reload_conf()`;
    await admin.end();
  }
});

test('when the standby takes over the client follows it, and every acknowledged row is there', async () => {
  const admin = postgres(primary.url, { max: 1, onnotice: () => undefined });
  await admin`create table if not exists written (n int primary key)`;
  await admin`alter system set synchronous_standby_names = '*'`;
  await admin`select pg_reload_conf()`;
  await until('the standby is synchronous', async () => {
    const [row] = await admin`select sync_state from pg_stat_replication`;
    return row?.sync_state === 'sync';
  });
  await admin.end();
  const sql = connect([primary, standby], 4);
  const acknowledged: number[] = [];
  let isOver = false;
  let next = 0;
  const write = async (): Promise<void> => {
    while (!isOver) {
      const n = next++;
      const outcome =
        n % 2 === 0
          ? await codeOf(sql`insert into written values (${n})`)
          : await codeOf(sql.begin((tx) => tx`insert into written values (${n})`));
      if (outcome === 'done') acknowledged.push(n);
      else expect(outcome).toBe('UNAVAILABLE');
    }
  };
  const writers = Array.from({ length: 8 }, write);
  await until('there is traffic', async () => acknowledged.length > 200);
  await primary.kill();
  const before = acknowledged.length;
  await Bun.sleep(7_000);
  // Longer than work waits for a server: by now it fails at once, and the standby is still none that takes changes.
  expect(acknowledged.length).toBe(before);
  const other = postgres(standby.url, { max: 1, onnotice: () => undefined });
  await other`select pg_promote()`;
  await until('writes succeed again', async () => acknowledged.length > before + 200);
  isOver = true;
  await Promise.all(writers);
  const rows = await other<{ n: number }[]>`select n from written`;
  const there = new Set(rows.map(({ n }) => n));
  expect(acknowledged.filter((n) => !there.has(n))).toEqual([]);
  await other.end();
});
