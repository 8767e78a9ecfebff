import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import pino from 'pino';
import { startTcpProxy, type TcpProxy } from '../../../infra/faults/tcp-proxy.ts';
import { startPostgres } from '../../../infra/servers/postgres.ts';
import { openDatabase } from '../../../shared/adapters/database/postgres.ts';
import type { Database } from '../../../shared/items/sql.ts';
import { until } from '../../faults/waiting.ts';
import { START_LIMIT_MS, startOwn } from '../../servers.ts';
import { enableTls, setTls } from './changed-servers.ts';

setDefaultTimeout(60_000);

let server: Awaited<ReturnType<typeof startOwn<Awaited<ReturnType<typeof startPostgres>>>>>;
let link: TcpProxy;
let lost = 0;
const open: Database[] = [];

beforeAll(async () => {
  server = await startOwn((options) => startPostgres({ ...options, fsync: false }));
  await enableTls(server);
  const target = { host: '127.0.0.1', port: Number(new URL(server.url).port) };
  link = await startTcpProxy({ name: 'postgres', target });
}, START_LIMIT_MS);
afterEach(async () => {
  await Promise.all(open.splice(0).map((sql) => sql.end({ timeout: 1 })));
});
afterAll(async () => {
  await link?.stop();
  await server?.end();
}, START_LIMIT_MS);

/** The client as the services open it. */
function connect(sslmode: string): Database {
  const sql = openDatabase(`postgres://postgres@127.0.0.1:${link.port}/postgres?sslmode=${sslmode}`, {
    log: pino({ level: 'silent' }),
    maxConnections: 2,
    statementTimeoutMs: 1_000,
    onLost: () => void lost++,
  });
  open.push(sql);
  return sql;
}

const isEncrypted = async (sql: Database): Promise<unknown> => {
  const [row] = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
  return row?.ssl;
};

const codeOf = (work: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(work).then(
    () => 'done',
    (error: { code?: string }) => error.code ?? String(error),
  );

test.each([
  ['require', true],
  ['prefer', true],
  ['disable', false],
])('sslmode=%s: whether a connection is encrypted is %p', async (mode, expected) => {
  const sql = connect(mode);
  expect(await isEncrypted(sql)).toBe(expected);
  const rows = await sql.begin(async (tx) => {
    await tx`create temporary table numbers on commit drop as select generate_series(1, 50000) n`;
    return await tx`select n from numbers`;
  });
  expect(rows).toHaveLength(50_000);
});

test('a certificate of no known authority is refused where it is verified', async () => {
  expect(await codeOf(connect('verify-full')`select 1`)).not.toBe('done');
});

test('where the server has no TLS it is gone without if that is allowed, else refused', async () => {
  await setTls(server.url, 'off');
  try {
    expect(await isEncrypted(connect('prefer'))).toBe(false);
    expect(await codeOf(connect('require')`select 1`)).toBe('UNAVAILABLE');
  } finally {
    await setTls(server.url, 'on');
  }
});

test('a connection that has fallen silent is given up for a new one, and it is told that it was lost', async () => {
  const sql = connect('require');
  expect(await codeOf(sql`select 1`)).toBe('done');
  const before = lost;
  link.strand();
  expect(await codeOf(sql`select 1`)).toBe('UNAVAILABLE');
  await until('a new one answers', async () => (await codeOf(sql`select 1`)) === 'done');
  expect(lost).toBeGreaterThan(before);
});
