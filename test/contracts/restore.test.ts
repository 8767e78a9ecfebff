import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFile, cp, mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { pathsOf } from '../../infra/backup/backup-folder.ts';
import { copyIn } from '../../infra/backup/copy-in.ts';
import { digestOf } from '../../infra/backup/file-digest.ts';
import { loadDatabase } from '../../infra/backup/load-database.ts';
import { readManifest, writeManifest } from '../../infra/backup/manifest.ts';
import { registerBlobs } from '../../infra/backup/register-blobs.ts';
import { openDatabase } from '../../shared/adapters/database/postgres.ts';
import { mustRun, runTool, startTool } from '../backup-tools.ts';
import { START_LIMIT_MS } from '../servers.ts';
import { checkFolder, flip, rowsOf, type StoredPerch, useStoredPerches } from './stored-perches.ts';

setDefaultTimeout(60_000);
const PAGES = 120;
const perches = useStoredPerches();
let source: StoredPerch;
let backup = '';
const keys: string[] = [];

beforeAll(async () => {
  source = await perches.create();
  for (let n = 0; n < PAGES; n += 1)
    keys.push(await source.addPage(`page-${n}`, `<p>${n} ${'x'.repeat(n * 50)}`));
  await source.sql`
    insert into items
      (namespace, id, kind, code, owner_hash, title, ttl_days, size_bytes, content, created_at, updated_at, expires_at)
    values ('kept', 'store', 'kv', 'code-store', 'owner', '', 1, 3, '{}', now(), now(), now() + interval '1 day')`;
  await source.sql`
    insert into kv_entries (namespace, id, key, value, size_bytes, updated_at)
    values ('kept', 'store', 'a', ${'"\\n\\t\\\\ \u2028 €"'}, 3, now()), ('kept', 'store', '\\N', 'null', 4, now())`;
  await source.sql`
    insert into tombstones (code, namespace, id, version, removed_at) values ('gone', 'public', 'gone', 7, now())`;
  await source.sql`update items set hidden = true, moderated_at = now(), client_ip = '192.0.2.7' where id = 'page-3'`;
  await source.sql`
    insert into blocks (id, ip, ua_pattern, reason, blocked_at, blocked_by, expires_at, removed_at, revision)
    values ('in-force', '192.0.2.0/24', null, 'A test.', now(), '::1', null, null, 1),
           ('removed', null, 'Bot/*', 'A test.', now(), '::1', now() + interval '1 day', now(), 2)`;
  await source.sql`
    insert into owners (owner_id, tier, max_ttl_days, label, note, first_seen)
    values ('owner', 'PRIVILEGED', 400, 'Team', 'Why.', now())`;
  await source.sql`insert into owner_takedowns (owner_id, requested_at) values ('another', now())`;
  await source.sql`
    insert into audit_trail (created_at, request_id, action, target, client_ip, via, note, outcome)
    values (now(), 'r', 'take-down-item', 'kept/gone', '192.0.2.1', 'console', 'Why.', 'done')`;
  await source.sql`insert into admin_sessions (session_id, expires_at) values ('s', now() + interval '1 hour')`;
  await source.sql`select setval('item_version', 5000)`;
  backup = inFolder('backup');
  await mustRun('backup', source.env, '--to', backup);
}, START_LIMIT_MS);

const TABLES = [
  ...['items', 'kv_entries', 'tombstones', 'item_totals', 'item_deltas', 'watermarks'],
  ...['tag_totals', 'tag_deltas'],
  ...['blocks', 'owners', 'owner_takedowns', 'audit_trail'],
];

const inFolder = (name: string): string => join(perches.folder(), name);

const copyOfBackup = async (name: string): Promise<string> => {
  const copy = inFolder(name);
  await cp(backup, copy, { recursive: true });
  return copy;
};

test('a restored instance has every row and every blob', async () => {
  const perch = await perches.create(0);
  const { code, output } = await startTool('restore', perch.env, '--from', backup).done;
  expect(code).toBe(0);
  expect(output).toContain('The backup of');
  expect(output).toContain('items: 121 rows');
  for (const table of TABLES) expect(await rowsOf(perch, table)).toEqual(await rowsOf(source, table));
  // Nobody is signed in by a backup; and the trail takes no changes here either.
  expect(await rowsOf(perch, 'admin_sessions')).toEqual([]);
  await expect(perch.sql`delete from audit_trail`.execute()).rejects.toThrow('takes no changes');
  for (const key of keys)
    expect(await readFile(perch.blobPath(key))).toEqual(await readFile(source.blobPath(key)));
  expect(await rowsOf(perch, 'blob_trash')).toEqual([]);
  // No number of the time after the backup is given out again.
  const [next] = await perch.sql`select nextval('item_version')::int as version`;
  expect(next?.version).toBeGreaterThan(1_000_000_000);
  // Totals go on from what they were.
  await perch.sql`delete from items where id = 'page-1'`;
  const [deleted] = await perch.sql`select sum(deleted)::int as deleted from item_deltas`;
  expect(deleted?.deleted).toBe(1);
});

test('an older schema is restored and brought up to date', async () => {
  const old = await perches.create(8);
  await old.addPage('old', '<p>old');
  const from = inFolder('older');
  await mustRun('backup', old.env, '--to', from);
  const perch = await perches.create(0);
  await mustRun('restore', perch.env, '--from', from);
  const [row] = await perch.sql`select id, renewed_at from items`;
  expect(row).toEqual({ id: 'old', renewed_at: null });
  const migrated = await perches.create();
  expect(await runTool('restore', migrated.env, '--from', from)).toMatchObject({
    code: 1,
    errors: expect.stringContaining('has schema 8, and this database already has'),
  });
});

test('days of the log of an older schema come back with the indexes of this one', async () => {
  const old = await perches.create(45);
  await old.sql`create table access_log_20261121 (like access_log including defaults including constraints)`;
  await old.sql`
    alter table access_log attach partition access_log_20261121 for values from ('2026-11-21') to ('2026-11-22')`;
  await old.sql`
    insert into access_log (created_at, request_id, client_ip, method, path, query, status, duration_ms, requests)
    values ('2026-11-21T12:00:00Z', 'request', '192.0.2.1', 'GET', '/public/page', '', 200, 1, 1)`;
  const from = inFolder('older-log');
  await mustRun('backup', old.env, '--to', from);
  const perch = await perches.create(0);
  await mustRun('restore', perch.env, '--from', from);
  expect(await perch.sql`select client_ip, request_id from access_entries`).toMatchObject([
    { client_ip: '192.0.2.1', request_id: 'request' },
  ]);
  const indexes = await perch.sql`
    select indexname from pg_indexes where tablename = 'access_log_20261121' and indexdef like '%USING gin%' order by 1`;
  expect(indexes.map(({ indexname }) => indexname)).toEqual([
    'access_log_20261121_client_ips',
    'access_log_20261121_words',
  ]);
});

const damages: Record<string, [(copy: string) => Promise<void>, fault: RegExp]> = {
  'a flipped byte in a table': [
    async (copy) => flip(join(copy, await fileOf(copy, 'items')), 100),
    /damaged: .*items\.copy/,
  ],
  'a flipped byte in a blob': [(copy) => flip(pathsOf(copy).blob(keys[7] ?? ''), 3), /damaged: blobs\//],
  'a missing blob': [(copy) => rm(pathsOf(copy).blob(keys[8] ?? '')), /not whole: blobs\/.*ENOENT/],
  'a blob that was cut': [(copy) => truncate(pathsOf(copy).blob(keys[9] ?? ''), 2), /damaged: blobs\//],
  'a missing table': [
    async (copy) => rm(join(copy, await fileOf(copy, 'kv_entries'))),
    /not whole: .*kv_entries/,
  ],
  'a table that was cut': [
    async (copy) => truncate(join(copy, await fileOf(copy, 'tombstones')), 5),
    /damaged: .*tombstones/,
  ],
  'a list of blobs that was cut': [
    async (copy) => truncate(join(copy, (await readManifest(copy)).blobs.file), 800),
    /damaged: .*blobs\.tsv/,
  ],
  'a cut manifest': [(copy) => truncate(pathsOf(copy).manifest, 900), /manifest\.json is damaged/],
  'an empty manifest': [(copy) => truncate(pathsOf(copy).manifest, 0), /manifest\.json is damaged/],
  'a changed manifest': [
    async (copy) => {
      const text = await readFile(pathsOf(copy).manifest, 'utf8');
      await writeFile(pathsOf(copy).manifest, text.replace('"rows": 121', '"rows": 120'));
    },
    /manifest\.json is damaged/,
  ],
  'no manifest': [(copy) => rm(pathsOf(copy).manifest), /holds no finished backup/],
  'a manifest of a later form': [
    async (copy) => writeManifest(copy, { ...(await readManifest(copy)), format: 2 as 1 }),
    /does not know/,
  ],
};

async function fileOf(copy: string, table: string): Promise<string> {
  const found = (await readManifest(copy)).tables.find(({ name }) => name === table);
  return found?.file ?? '';
}

describe('refuses, and writes nothing,', () => {
  test('what is damaged or missing', async () => {
    const perch = await perches.create(0);
    for (const [name, [damage, fault]] of Object.entries(damages)) {
      const copy = await copyOfBackup('damaged');
      await damage(copy);
      // One by a restore: this is the first thing that it does.
      const told = await (name === 'a flipped byte in a blob'
        ? runTool('restore', perch.env, '--from', copy).then(({ errors }) => errors)
        : checkFolder(copy));
      expect({ name, told }).toMatchObject({ told: expect.stringMatching(fault) });
      await rm(copy, { recursive: true });
    }
    expect([...(await perch.sql`select to_regclass('items') as items`)]).toEqual([{ items: null }]);
    expect(await Array.fromAsync(perch.blobs.list())).toEqual([]);
  });

  test('an instance that is not empty', async () => {
    const withRows = await perches.create();
    await withRows.addPage('here', '<p>here');
    const withBlob = await perches.create();
    await withBlob.blobs.put('zz/00000000000000', Buffer.from('here'));
    const inUse = await perches.create();
    await inUse.sql`insert into blob_trash (key, delete_after) values ('zz/00000000000001', now())`;
    const connected = await perches.create(0);
    await connected.sql`set application_name = 'perch'`;
    const newer = await copyOfBackup('newer');
    await writeManifest(newer, { ...(await readManifest(newer)), schema: 999 });
    const loadShedding = [
      [withRows, /rows in .*items/],
      [withBlob, /content store is not empty/],
      [inUse, /used for uploads/],
      [connected, /Stop all of its processes/],
      [await perches.create(0), /schema 999, and this release knows/, newer],
    ] as const;
    const runs = loadShedding.map(([perch, , from = backup]) =>
      runTool('restore', perch.env, '--from', from),
    );
    for (const [index, { code, errors }] of (await Promise.all(runs)).entries())
      expect({ code, errors }).toMatchObject({
        code: 1,
        errors: expect.stringMatching(loadShedding[index]?.[1] ?? /^$/),
      });
    expect(await withRows.sql`select id from items`).toHaveLength(1);
    expect(await withBlob.sql`select from blob_trash`).toHaveLength(0);
  });
});

test('settings and target are looked at before all of the backup is read', async () => {
  const inUse = await perches.create();
  await inUse.addPage('here', '<p>here');
  const copy = await copyOfBackup('damaged-and-refused');
  await flip(pathsOf(copy).blob(keys[7] ?? ''), 3);
  const restore = (env: Record<string, string>) => startTool('restore', env, '--from', copy).done;
  const [wrong, full] = await Promise.all([
    restore({ PG_URL: 'mysql://127.0.0.1/perch' }),
    restore(inUse.env),
  ]);
  expect(wrong).toMatchObject({ code: 1, output: '', errors: expect.stringContaining('PG_URL is (hidden)') });
  expect(full).toMatchObject({ code: 1, errors: expect.stringMatching(/rows in .*items/) });
});

test('a folder for the data is made for its owner alone, and a file in its place is told of', async () => {
  const perch = await perches.create(0);
  const [made, file] = [inFolder('made-by-restore'), inFolder('a-file')];
  await writeFile(file, '');
  const restore = (DATA_DIR: string) => runTool('restore', { ...perch.env, DATA_DIR }, '--from', backup);
  const { code, errors } = await restore(file);
  expect({ code, errors }).toEqual({
    code: 1,
    errors: expect.stringContaining('a file stands in its place'),
  });
  expect(await restore(made)).toMatchObject({ code: 0 });
  expect((await stat(made)).mode & 0o777).toBe(0o700);
});

/** Lets nobody set the sequence of versions, if there is one yet, until it is released. */
async function holdSequence({ sql }: StoredPerch): Promise<{ release(): Promise<void> }> {
  const [row] = await sql`select to_regclass('item_version') is null as none`;
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transaction =
    row?.none === true
      ? held.resolve()
      : sql.begin(async (tx) => {
          await tx`alter sequence item_version cache 1`;
          held.resolve();
          await released.promise;
        });
  await held.promise;
  return {
    async release() {
      released.resolve();
      await transaction;
    },
  };
}

test('a restore that is killed leaves an empty instance, and can be repeated', async () => {
  const perch = await perches.create(0);
  for (const marker of ['is whole', 'restoring: ', 'items: ', 'kv_entries: ']) {
    // The kill comes before the commit however late it is: that the sequence is set waits for this.
    const held = await holdSequence(perch);
    const cut = startTool('restore', perch.env, '--from', backup);
    await cut.printed(marker);
    process.kill(cut.pid, 'SIGKILL');
    await cut.done;
    await held.release();
    const [row] = await perch.sql`select to_regclass('items') is null as none`;
    if (row?.none === false) expect(await perch.sql`select from items`).toHaveLength(0);
  }
  // All that was put into the store has a moment at which it goes.
  const trash = await perch.sql<{ key: string }[]>`select key from blob_trash where delete_after > now()`;
  const named = new Set(trash.map(({ key }) => key));
  const left = await Array.fromAsync(perch.blobs.list());
  expect(left.length).toBeGreaterThan(0);
  expect(left.filter((key) => !named.has(key))).toEqual([]);
  await mustRun('restore', perch.env, '--from', backup);
  expect(await rowsOf(perch, 'items')).toEqual(await rowsOf(source, 'items'));
  expect(await perch.sql`select from blob_trash`).toHaveLength(0);
  const again = await runTool('restore', perch.env, '--from', backup);
  expect(again).toMatchObject({ code: 1, errors: expect.stringContaining('not empty') });
});

test('rows that the database refuses when all are sent end a restore with its reason', async () => {
  const from = await copyOfBackup('refused');
  const manifest = await readManifest(from);
  const tables = await Promise.all(
    manifest.tables.map(async (table) => {
      if (table.name !== 'tombstones') return table;
      const path = join(from, table.file);
      await appendFile(path, await readFile(path));
      const { bytes, lines: rows, sha256 } = await digestOf(path);
      return { ...table, bytes, rows, sha256 };
    }),
  );
  await writeManifest(from, { ...manifest, tables });
  const perch = await perches.create(0);
  expect(await runTool('restore', perch.env, '--from', from)).toMatchObject({
    code: 1,
    errors: expect.stringContaining('duplicate key value violates unique constraint'),
  });
  expect(await perch.sql`select from items`).toHaveLength(0);
  await mustRun('restore', perch.env, '--from', backup);
});

test('a connection that is lost when all rows are sent ends the transaction, and not the process', async () => {
  const perch = await perches.create();
  await perch.sql.unsafe(`
    create function wait_for_test() returns trigger language plpgsql
      as 'begin perform pg_advisory_xact_lock(7); return null; end';
    create trigger wait_for_test after insert on watermarks execute function wait_for_test()`);
  const rows = inFolder('watermark.copy');
  await writeFile(rows, 'late\tnow\n');
  const restoring = perches.open(perch);
  const blocker = await perch.sql.reserve();
  await blocker`select pg_advisory_lock(7)`;
  const filling = restoring
    .begin((tx) => copyIn(tx, 'copy watermarks from stdin', rows))
    .catch((error: unknown) => error);
  const terminated = () => blocker`
    select pg_terminate_backend(pid) from pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and locktype = 'advisory' and not granted`;
  while ((await terminated()).length === 0) await Bun.sleep(10);
  expect(await filling).toMatchObject({ code: 'UNAVAILABLE' });
  blocker.release();
  expect([...(await restoring`select 1 as one`)]).toEqual([{ one: 1 }]);
});

test('two restores at once make one instance', async () => {
  const perch = await perches.create(0);
  const first = startTool('restore', perch.env, '--from', backup);
  await first.printed('restoring: ');
  process.kill(first.pid, 'SIGSTOP');
  await mkdir(inFolder('other-data'));
  const second = await runTool(
    'restore',
    { ...perch.env, DATA_DIR: inFolder('other-data') },
    '--from',
    backup,
  );
  process.kill(first.pid, 'SIGCONT');
  expect(second).toMatchObject({ code: 1, errors: expect.stringContaining('Stop all of its processes') });
  expect((await first.done).code).toBe(0);
  expect(await rowsOf(perch, 'items')).toEqual(await rowsOf(source, 'items'));
});

test('of two that have begun to fill the tables one does', async () => {
  const perch = await perches.create();
  const manifest = await readManifest(backup);
  const clients = [0, 1].map(() =>
    openDatabase(perch.env.PG_URL, {
      log: pino({ level: 'silent' }),
      maxConnections: 1,
      statementTimeoutMs: 30_000,
      plainColumns: true,
    }),
  );
  const filling = clients.map(async (sql) => {
    await registerBlobs(sql, perch.blobs, backup, manifest);
    await loadDatabase(sql, {
      folder: backup,
      manifest,
      withIdempotencyKeys: true,
      onTable: () => undefined,
      beforeCommit: () => Promise.resolve(),
    });
  });
  const outcomes = await Promise.allSettled(filling);
  await Promise.all(clients.map((sql) => sql.end({ timeout: 1 })));
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  // The other finds what the first has filled, or is the one that the database ends when each waits for the other.
  const refused = outcomes.find((outcome) => outcome.status === 'rejected');
  expect(String(refused?.reason)).toMatch(/is not empty|cannot do this right now \(database\)/);
  expect(await rowsOf(perch, 'items')).toEqual(await rowsOf(source, 'items'));
  expect(await rowsOf(perch, 'blob_trash')).toEqual([]);
});
