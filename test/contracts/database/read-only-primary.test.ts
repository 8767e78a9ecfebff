import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import pino from 'pino';
import postgres from 'postgres';
import { startPostgres } from '../../../infra/servers/postgres.ts';
import { openDatabase } from '../../../shared/adapters/database/postgres.ts';
import type { Database } from '../../../shared/items/sql.ts';
import { until } from '../../faults/waiting.ts';
import { START_LIMIT_MS, startOwn } from '../../servers.ts';
import { startStandby } from './changed-servers.ts';

setDefaultTimeout(60_000);
type Own = Awaited<ReturnType<typeof startOwn<Awaited<ReturnType<typeof startPostgres>>>>>;

let primary: Own;
let standby: Own;
let sql: Database;
let lost = 0;

beforeAll(async () => {
  primary = await startOwn(startPostgres);
  standby = await startOwn((options) => startStandby(primary.url, options));
  const hosts = [primary, standby].map(({ url }) => new URL(url).host).join(',');
  sql = openDatabase(`postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`, {
    log: pino({ level: 'silent' }),
    maxConnections: 4,
    statementTimeoutMs: 5_000,
    onLost: () => {
      lost += 1;
    },
  });
}, START_LIMIT_MS);
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await standby?.end();
  await primary?.end();
}, START_LIMIT_MS);

const outcomeOf = (work: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(work).then(
    () => 'done',
    (error: { code?: string }) => error.code ?? String(error),
  );

test('a primary that takes no changes is read from as ever, and written to when it takes them again', async () => {
  const admin = postgres(primary.url, { max: 1, onnotice: () => undefined });
  const write = (): Promise<string> => outcomeOf(sql`insert into guarded values (1)`);
  const writeTogether = (): Promise<string> =>
    outcomeOf(sql.begin((tx) => tx`insert into guarded values (2)`));
  await sql`create table guarded (n int)`;
  await admin`alter system set default_transaction_read_only = on`;
  await admin`select pg_reload_conf()`;
  const reads: string[] = [];
  let isOver = false;
  const read = async (): Promise<void> => {
    while (!isOver) reads.push(await outcomeOf(sql`select pg_sleep(0.05)`));
  };
  try {
    await until('changes are refused', async () => (await write()) === 'UNAVAILABLE');
    lost = 0;
    const readers = Array.from({ length: 6 }, read);
    for (let writes = 0; writes < 4; writes++) {
      expect(await Promise.all([write(), writeTogether()])).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
      await Bun.sleep(1_000);
    }
    isOver = true;
    await Promise.all(readers);
    expect(new Set(reads)).toEqual(new Set(['done']));
    expect(lost).toBe(0);
  } finally {
    await admin`alter system reset default_transaction_read_only`;
    await admin`select pg_reload_conf()`;
    await admin.end();
  }
  await until('writes go on', async () => (await write()) === 'done');
  expect(await writeTogether()).toBe('done');
});
