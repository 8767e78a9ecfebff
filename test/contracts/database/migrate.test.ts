import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../shared/adapters/database/embedded/postgres.ts';
import { migrate } from '../../../shared/adapters/database/migrate.ts';

const MODULE = join(import.meta.dir, '../../../shared/adapters/database/migrate.ts');
const log = pino({ level: 'silent' });
let temp = '';
let server: EmbeddedPostgres;
let admin: postgres.Sql;
let sql: postgres.Sql;
let url = '';
let directory = '';
let count = 0;

beforeAll(async () => {
  temp = await mkdtemp(join(tmpdir(), 'perch-migrate-'));
  // Root's server runs as another user, who must get in; else its database is kept outside this folder.
  await chmod(temp, 0o755);
  server = await startEmbeddedPostgres({ dataDir: join(temp, 'data'), log });
  admin = postgres(server.url, { max: 1, onnotice: () => undefined });
}, 60_000);

afterAll(async () => {
  await sql.end({ timeout: 1 });
  await admin.end({ timeout: 1 });
  await server.stop();
  await rm(temp, { recursive: true, force: true });
}, 60_000);

/** A database and a folder of migrations of its own for each test. */
beforeEach(async () => {
  if (count > 0) await sql.end({ timeout: 1 });
  count += 1;
  const name = `test_${count}`;
  await admin`create database ${admin(name)}`;
  url = server.url.replace(/\/postgres$/, `/${name}`);
  sql = postgres(url, { max: 1, onnotice: () => undefined });
  // Brackets mean something to the pattern the files are looked for with.
  directory = await mkdtemp(join(temp, 'migrations [1] '));
  await file('001.do.notes.sql', 'create table notes (note text); insert into notes values (1);');
  await file('002.do.more.sql', 'alter table notes add column size bigint; insert into notes values (2);');
});

const file = (name: string, text: string) => writeFile(join(directory, name), text);
const run = (options: { lockTimeoutMs?: number } = {}) => migrate(url, { directory, log, ...options });
const applied = async () =>
  (await sql`select version::int, name from schema_migrations where version > 0 order by version`)
    .map((row) => `${row.version} ${row.name}`)
    .join(', ');

test('applies what is missing, in order, once', async () => {
  await run();
  await run();
  expect(await applied()).toBe('1 notes, 2 more');
  await file('003.do.third.sql', 'insert into notes values (3)');
  await run();
  expect(await applied()).toBe('1 notes, 2 more, 3 third');
  expect([...(await sql`select note from notes order by note`.values())]).toEqual([['1'], ['2'], ['3']]);
});

test('five processes at once apply each migration once', async () => {
  for (let number = 3; number <= 12; number += 1) {
    await file(
      `${String(number).padStart(3, '0')}.do.step.sql`,
      `insert into notes values (${number}); select pg_sleep(0.01);`,
    );
  }
  const code = `
    import pino from 'pino';
    import { migrate } from ${JSON.stringify(MODULE)};
    await migrate(${JSON.stringify(url)}, { directory: ${JSON.stringify(directory)}, log: pino({ level: 'silent' }) });`;
  const processes = Array.from({ length: 5 }, () =>
    Bun.spawn([process.execPath, '-e', code], { cwd: import.meta.dir, stderr: 'inherit' }),
  );
  expect(await Promise.all(processes.map((child) => child.exited))).toEqual([0, 0, 0, 0, 0]);
  expect([...(await sql`select count(*)::int from notes`.values())]).toEqual([[12]]);
  expect([...(await sql`select count(*)::int from schema_migrations where version > 0`.values())]).toEqual([
    [12],
  ]);
}, 60_000);

test('a failing migration is named, leaves nothing of itself, and goes on when mended', async () => {
  await file('003.do.broken.sql', 'create table half (a int); insert into half values (1); select 1/0;');
  await file('004.do.after.sql', 'insert into notes values (4)');
  await expect(run()).rejects.toThrow(/003\.do\.broken\.sql failed and was rolled back: division by zero/);
  expect(await applied()).toBe('1 notes, 2 more');
  expect([...(await sql`select to_regclass('half') as half`.values())]).toEqual([[null]]);
  await file('003.do.broken.sql', 'create table half (a int)');
  await run();
  expect(await applied()).toBe('1 notes, 2 more, 3 broken, 4 after');
});

test('a change to an applied migration is refused by name, other line ends are no change', async () => {
  const path = join(directory, '001.do.notes.sql');
  await file('001.do.notes.sql', 'create table notes (note text);\ninsert into notes values (1);\n');
  await run();
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll('\n', '\r\n'));
  await run();
  await writeFile(path, 'create table notes (note text, added text);');
  await expect(run()).rejects.toThrow('Migration 001.do.notes.sql was changed after it was applied');
  await file('003.do.third.sql', 'insert into notes values (3)');
  await expect(run()).rejects.toThrow('Migration 001.do.notes.sql was changed after it was applied');
  expect(await applied()).toBe('1 notes, 2 more');
});

test('a migration numbered below the applied ones is refused', async () => {
  await rename(join(directory, '002.do.more.sql'), join(directory, '003.do.more.sql'));
  await run();
  await file('002.do.late.sql', 'select 1');
  await expect(run()).rejects.toThrow('002.do.late.sql has a number below the applied 3');
});

test('a schema newer than the files is left alone', async () => {
  await run();
  await rm(join(directory, '002.do.more.sql'));
  await run();
  expect(await applied()).toBe('1 notes, 2 more');
});

test('files that cannot be meant are refused', async () => {
  await file('003.undo.notes.sql', 'drop table notes');
  await expect(run()).rejects.toThrow('003.undo.notes.sql must be named');
  await rename(join(directory, '003.undo.notes.sql'), join(directory, '0002.do.twice.sql'));
  await expect(run()).rejects.toThrow('have the same number');
  directory = await mkdtemp(join(temp, 'empty-'));
  await expect(run()).rejects.toThrow('There are no migrations');
});

test('does not wait for ever for another process', async () => {
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${0x7065726368}::bigint)`;
    await expect(run({ lockTimeoutMs: 200 })).rejects.toThrow('Another process has been migrating');
  });
  await run({ lockTimeoutMs: 200 });
  expect(await applied()).toBe('1 notes, 2 more');
});
