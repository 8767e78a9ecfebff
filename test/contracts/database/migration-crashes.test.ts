import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import { startPostgres } from '../../../infra/servers/postgres.ts';
import { until } from '../../../infra/until.ts';
import { migrate } from '../../../shared/adapters/database/migrate.ts';
import { START_LIMIT_MS, startOwn, temporaryFolder } from '../../servers.ts';

setDefaultTimeout(60_000);
const MODULE = join(import.meta.dirname, '../../../shared/adapters/database/migrate.ts');
const log = pino({ level: 'silent' });
let folder = '';
let server: Awaited<ReturnType<typeof startOwn<Awaited<ReturnType<typeof startPostgres>>>>>;
let sql: postgres.Sql;
let url = '';
let directory = '';
let count = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  server = await startOwn(startPostgres);
}, START_LIMIT_MS);

afterAll(async () => {
  await sql.end({ timeout: 1 });
  await server.end();
  await rm(folder, { recursive: true, force: true });
});

/** A server that was killed takes a moment to take connections again. */
const connect = (address: string) =>
  postgres(address, {
    max: 3,
    onnotice: () => undefined,
    idle_timeout: 1,
    connection: { application_name: 'test' },
  });

beforeEach(async () => {
  if (count > 0) await sql.end({ timeout: 1 });
  count += 1;
  const admin = connect(server.url);
  await admin.unsafe(`create database test_${count}`);
  await admin.end({ timeout: 1 });
  url = server.url.replace(/\/postgres$/, `/test_${count}`);
  sql = connect(url);
  directory = await mkdtemp(join(folder, 'migrations-'));
  await file('001.do.notes.sql', 'create table notes (id int, note text); insert into notes values (1, 1);');
  await migrate(url, { directory, log });
});

const file = (name: string, text: string) => writeFile(join(directory, name), text);
const run = (options: Partial<Parameters<typeof migrate>[1]> = {}) =>
  migrate(url, { directory, log, ...options });

const state = async () => {
  const [row] = await sql`
    select (select max(version)::int from schema_migrations) as version,
      (select count(*)::int from notes) as notes,
      (select count(*)::int from information_schema.columns where table_name = 'notes') as columns`;
  return row;
};
const BEFORE = { version: 1, notes: 1, columns: 2 };
const AFTER = { version: 2, notes: 2, columns: 3 };

/** A migration whose middle lasts until the test lets it go on. */
const HALF_WAY = `
  alter table notes add column size bigint;
  insert into notes values (2, 2);
  select pg_advisory_lock(77);
  select pg_advisory_unlock(77);`;

async function holdHalfWay(): Promise<() => Promise<void>> {
  await file('002.do.more.sql', HALF_WAY);
  const holder = postgres(url, { max: 1, onnotice: () => undefined });
  await holder`select pg_advisory_lock(77)`;
  return () => holder.end({ timeout: 1 }).catch(() => undefined);
}

const untilHalfWay = () =>
  until('the migration is half-way', async () => {
    const rows = await sql`
      select from pg_locks where locktype = 'advisory' and objid = 77 and not granted
        and database = (select oid from pg_database where datname = current_database())`;
    return rows.length > 0;
  });

const startProcess = () => {
  const code = `
    import pino from 'pino';
    import { migrate } from ${JSON.stringify(MODULE)};
    await migrate(${JSON.stringify(url)}, { directory: ${JSON.stringify(directory)}, log: pino({ level: 'silent' }) });`;
  return Bun.spawn([process.execPath, '-e', code], { cwd: import.meta.dirname, stderr: 'ignore' });
};

test('a process that is killed half-way leaves the schema as it was, and the next start finishes it', async () => {
  const release = await holdHalfWay();
  const child = startProcess();
  await untilHalfWay();
  child.kill('SIGKILL');
  await child.exited;
  expect(await state()).toEqual(BEFORE);
  // The statement goes on in the server, and finds nobody to commit for.
  await release();
  await run();
  expect(await state()).toEqual(AFTER);
});

test('a server that is killed half-way leaves the schema as it was, and the next start finishes it', async () => {
  const release = await holdHalfWay();
  const migrating = run().catch((error: unknown) => error);
  await untilHalfWay();
  await server.kill();
  expect(await migrating).toBeInstanceOf(Error);
  await release();
  await server.start();
  await sql.end({ timeout: 1 });
  sql = connect(url);
  expect(await state()).toEqual(BEFORE);
  await run();
  expect(await state()).toEqual(AFTER);
});

test('a migration that waits for a table lets others pass, and is tried again', async () => {
  await file(
    '002.do.more.sql',
    "alter table notes add column size bigint; insert into notes values (2, 'b');",
  );
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const reader = sql.begin(async (tx) => {
    await tx`select from notes`;
    hold();
    await released;
  });
  await held;
  const told: string[] = [];
  const listening = pino({ level: 'info' }, { write: (line: string) => void told.push(line) });
  const migrating = run({ log: listening });
  await until('it has been in the way', async () => told.some((line) => line.includes('in use')));
  // Between two attempts nothing queues behind it.
  expect(await sql`select from notes`).toHaveLength(1);
  release();
  await reader;
  await migrating;
  expect(await state()).toEqual(AFTER);
});

test('a migration that never gets its table says why', async () => {
  await file('002.do.more.sql', 'alter table notes add column size bigint');
  await sql.begin(async (tx) => {
    await tx`select from notes`;
    await expect(run({ tablesTimeoutMs: 300 })).rejects.toThrow(
      /002\.do\.more\.sql did not get the tables.*pg_stat_activity/,
    );
  });
  expect(await state()).toEqual(BEFORE);
});

test('a role that may not change the schema hears what the database said', async () => {
  await file('002.do.more.sql', 'alter table notes add column size bigint');
  await sql`create role only_reads login password 'only reads'`;
  await sql`grant all on schema_migrations, notes to only_reads`;
  const restricted = new URL(url);
  restricted.username = 'only_reads';
  restricted.password = 'only reads';
  await expect(migrate(restricted.href, { directory, log })).rejects.toThrow(
    /002\.do\.more\.sql failed and was rolled back: must be owner of table notes/,
  );
  expect(await state()).toEqual(BEFORE);
});

const INDEX = `-- not in a transaction
drop index concurrently if exists notes_id;
-- Beside the traffic.
create unique index concurrently notes_id on notes (id);
`;
const indexes = async () =>
  (await sql`select indisvalid from pg_index where indexrelid = to_regclass('notes_id')`).map(
    ({ indisvalid }) => indisvalid,
  );

test('an index is made beside the traffic', async () => {
  await file('002.do.index.sql', INDEX);
  await file('003.do.more.sql', 'alter table notes add column size bigint');
  await Promise.all([run(), run(), run()]);
  expect(await state()).toMatchObject({ version: 3 });
  expect(await indexes()).toEqual([true]);
  await run();
});

test('an index that was half made when the process was killed is made again', async () => {
  await file('002.do.index.sql', INDEX);
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const writer = sql.begin(async (tx) => {
    await tx`insert into notes values (9, 'under way')`;
    hold();
    await released;
  });
  await held;
  const child = startProcess();
  await until('the index is half made', async () => (await indexes()).length > 0);
  expect(await indexes()).toEqual([false]);
  // A process with nothing to apply, as one of the release before, starts meanwhile; one that wants the index does not.
  await run({ upTo: 1, lockTimeoutMs: 0 });
  await expect(run({ lockTimeoutMs: 0 })).rejects.toThrow('Another process has been migrating');
  child.kill('SIGKILL');
  await child.exited;
  expect(await state()).toMatchObject({ version: 1 });
  const next = run();
  release();
  await writer;
  await next;
  expect(await indexes()).toEqual([true]);
  expect(await state()).toMatchObject({ version: 2 });
});

test('an index that cannot be made is named, and made once it can', async () => {
  await file('002.do.index.sql', INDEX);
  await sql`insert into notes values (1, 'twice')`;
  await expect(run()).rejects.toThrow(/002\.do\.index\.sql failed; the next start does it again/);
  await sql`delete from notes where note = 'twice'`;
  await run();
  expect(await indexes()).toEqual([true]);
});

test('an older release works on a newer schema until what it uses is taken away', async () => {
  await file('002.do.more.sql', 'alter table notes add column size bigint');
  await file('003.do.other.sql', 'select 1');
  await file('004.do.contract-since-002-note.sql', 'alter table notes drop column note');
  await run();
  const older = await mkdtemp(join(folder, 'older-'));
  const release = async (newest: number) => {
    if (newest >= 1)
      await writeFile(
        join(older, '001.do.notes.sql'),
        'create table notes (id int, note text); insert into notes values (1, 1);',
      );
    if (newest >= 2)
      await writeFile(join(older, '002.do.more.sql'), 'alter table notes add column size bigint');
    await migrate(url, { directory: older, log });
  };
  await expect(release(1)).rejects.toThrow(
    /This release knows schema 1, and migration 4 \(contract-since-002-note\).*schema 2 or a later one/,
  );
  await release(2);
});
