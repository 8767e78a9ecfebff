import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { openBackupSession } from '../../infra/backup/backup-session.ts';
import { forgetBlobs, takeDueBlobs } from '../../shared/items/blob-trash.ts';
import type { Database } from '../../shared/items/sql.ts';
import { START_LIMIT_MS } from '../servers.ts';
import { type StoredPerch, useStoredPerches } from './stored-perches.ts';

setDefaultTimeout(60_000);
const perches = useStoredPerches();
let perch: StoredPerch;
let sql: Database;

beforeAll(async () => {
  perch = await perches.create();
  sql = perches.open(perch);
}, START_LIMIT_MS);

const discard = (key: string) =>
  sql`insert into blob_trash (key, delete_after, used) values (${key}, ${Date.now() - 1}, true)`;
const take = () => takeDueBlobs(sql, Date.now(), Date.now() + 30_000, 100);

test('no blob is taken for deletion while any backup runs', async () => {
  await discard('aa/00000001');
  const sessions = [await openBackupSession(perch.env.PG_URL), await openBackupSession(perch.env.PG_URL)];
  expect(await take()).toEqual([]);
  await sessions[0]?.end();
  expect(await take()).toEqual([]);
  await sessions[1]?.assertHeld();
  await sessions[1]?.end();
  expect(await take()).toEqual(['aa/00000001']);
  await forgetBlobs(sql, ['aa/00000001']);
});

test('a backup of another database on the server stops nobody', async () => {
  await discard('aa/00000002');
  const session = await openBackupSession(perches.serverUrl());
  expect(await take()).toEqual(['aa/00000002']);
  await session.end();
});

test('a backup that is killed stops nobody', async () => {
  await discard('aa/00000003');
  const module = join(import.meta.dirname, '../../infra/backup/backup-session.ts');
  const code = `
    const { openBackupSession } = await import(${JSON.stringify(module)});
    await openBackupSession(${JSON.stringify(perch.env.PG_URL)});
    process.stdout.write('held');
    await Bun.sleep(60_000);`;
  const child = Bun.spawn([process.execPath, '-e', code], { cwd: import.meta.dirname, stdout: 'pipe' });
  const reader = child.stdout.getReader();
  await reader.read();
  expect(await take()).toEqual([]);
  child.kill('SIGKILL');
  await child.exited;
  while ((await take()).length === 0) await Bun.sleep(20);
});

test('a standby is refused, with what to do', async () => {
  // No standby is at hand: a function of this name that is found first stands in for the answer of one.
  await sql.unsafe(`create schema standby;
    create function standby.pg_is_in_recovery() returns boolean language sql as 'select true'`);
  const url = new URL(perch.env.PG_URL);
  url.searchParams.set('search_path', 'standby,pg_catalog');
  await expect(openBackupSession(url.href)).rejects.toThrow('Let PG_URL name the primary server');
  await discard('aa/00000004');
  expect(await take()).toEqual(['aa/00000004']);
});

test('a session that was lost is told', async () => {
  const session = await openBackupSession(perch.env.PG_URL);
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'perch backup' and datname = current_database()`;
  await expect(session.assertHeld()).rejects.toThrow('was lost meanwhile');
  // A new connection would not bring back what was deleted in between.
  await expect(session.assertHeld()).rejects.toThrow('was lost meanwhile');
  await session.end();
});
