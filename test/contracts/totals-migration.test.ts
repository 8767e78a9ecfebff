import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { copyFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { migrate } from '../../shared/adapters/database/migrate.ts';
import { openDatabase } from '../../shared/adapters/database/postgres.ts';
import type { Database } from '../../shared/items/sql.ts';
import { MIGRATIONS } from '../../shared/wiring/distributed.ts';
import { START_LIMIT_MS, temporaryFolder, useServers } from '../servers.ts';
import { insertRow, totalsOf } from './totals.ts';

setDefaultTimeout(60_000);
const log = pino({ level: 'silent' });
const name = `perch_totals_${randomBytes(6).toString('hex')}`;
let admin: Database;
let sql: Database;
let url: string;
let folder: string;

// Before the server's own end, which is registered next.
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await admin.unsafe(`drop database if exists ${name} with (force)`);
  await admin.end({ timeout: 1 });
  await rm(folder, { recursive: true, force: true });
});
const setting = useServers('PG_URL');
const open = (address: string): Database =>
  openDatabase(address, { log, maxConnections: 4, statementTimeoutMs: 20_000 });

/** A database as an earlier release has left it. */
beforeAll(async () => {
  folder = await temporaryFolder();
  for (const file of await readdir(MIGRATIONS)) {
    if (Number.parseInt(file, 10) < 6) await copyFile(join(MIGRATIONS, file), join(folder, file));
  }
  admin = open(setting('PG_URL'));
  await admin.unsafe(`create database ${name}`);
  const own = new URL(setting('PG_URL'));
  own.pathname = `/${name}`;
  url = own.href;
  await migrate(url, { directory: folder, log });
  sql = open(url);
}, START_LIMIT_MS);

test('what is there already is counted once, also what is written while the migration runs', async () => {
  const days = 86_400_000;
  await insertRow(sql, { sizeBytes: 70 });
  await insertRow(sql, { sizeBytes: 30, createdAt: Date.now() - 5 * days });
  await insertRow(sql, { kind: 'file', namespace: 'mine' });
  const store = await insertRow(sql, { kind: 'kv' });
  await sql`
    insert into kv_entries (namespace, id, key, value, size_bytes, updated_at)
    values ('public', ${store.id}, 'a', '1', 1, now()), ('public', ${store.id}, 'b', '22', 2, now())`;

  let written = 0;
  let running = true;
  const writing = [1, 2, 3].map(async () => {
    while (running) {
      await insertRow(sql, { kind: 'json' });
      written += 1;
    }
  });
  await migrate(url, { directory: MIGRATIONS, log });
  await insertRow(sql, { kind: 'site' });
  running = false;
  await Promise.all(writing);

  const todayFrom = Date.now() - 1.5 * days;
  expect(await totalsOf(sql, 'html', todayFrom)).toMatchObject({ created: 2, createdToday: 1, bytes: 100 });
  expect(await totalsOf(sql, 'file', todayFrom)).toMatchObject({ created: 1, createdToday: 1, bytes: 100 });
  expect(await totalsOf(sql, 'kv', todayFrom)).toMatchObject({ created: 1, bytes: 3, views: 0 });
  expect(await totalsOf(sql, 'site', todayFrom)).toMatchObject({ created: 1 });
  expect(await totalsOf(sql, 'json', todayFrom)).toMatchObject({ created: written, bytes: written * 100 });
  await sql`delete from items`;
  expect(await totalsOf(sql, 'kv', todayFrom)).toMatchObject({ created: 1, deleted: 1, bytes: 0 });
});
