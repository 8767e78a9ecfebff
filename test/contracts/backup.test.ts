import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathsOf } from '../../infra/backup/backup-folder.ts';
import { readManifest, writeManifest } from '../../infra/backup/manifest.ts';
import { cookieSecretMark } from '../../infra/backup/stores.ts';
import { loadStoreSettings } from '../../shared/config.ts';
import { newBlobKey } from '../../shared/ids.ts';
import { mustRun, runTool, startTool } from '../backup-tools.ts';
import { START_LIMIT_MS } from '../servers.ts';
import { checkFolder, flip, rowsOf, type StoredPerch, useStoredPerches } from './stored-perches.ts';

setDefaultTimeout(60_000);
const perches = useStoredPerches();
let source: StoredPerch;
let backup = '';

beforeAll(async () => {
  source = await perches.create();
  await source.addPage('1', '<p>1');
  backup = inFolder('backup');
  expect(await startTool('backup', source.env, '--to', backup).done).toMatchObject({ code: 0, errors: '' });
}, START_LIMIT_MS);

const inFolder = (name: string): string => join(perches.folder(), name);

test('only its owner can read it', async () => {
  for (const name of await readdir(backup, { recursive: true })) {
    if (name === 'lock') continue;
    const { mode } = await stat(join(backup, name));
    expect({ name, open: mode & 0o077 }).toEqual({ name, open: 0 });
  }
  expect((await stat(backup)).mode & 0o077).toBe(0);
});

test('what is no Perch, and no folder', async () => {
  const empty = await perches.create(0);
  const file = inFolder('a-file');
  await writeFile(file, '');
  const nothing = { DATA_DIR: inFolder('nothing') };
  const others = inFolder('others');
  await mkdir(join(others, 'data-of-mine'), { recursive: true });
  const outcomes = await Promise.all([
    runTool('backup', source.env, '--to', others),
    runTool('backup', empty.env, '--to', inFolder('of-empty')),
    runTool('backup', nothing, '--to', inFolder('of-nothing')),
    runTool('backup', source.env, '--to', file),
    runTool('restore', empty.env, '--from', inFolder('nowhere')),
    startTool('backup', source.env).done,
    startTool('restore', source.env, '--form', backup).done,
    runTool('backup', { ...source.env, PG_URL: 'postgres://127.0.0.1:1/none' }, '--to', inFolder('cut')),
  ]);
  expect(outcomes.map(({ code }) => code)).toEqual([1, 1, 1, 1, 1, 2, 2, 1]);
  const said = [
    /other things than a backup \(data-of-mine\)/,
    /holds no Perch/,
    /There is no Perch in/,
    /cannot take a backup/,
    /no folder/,
    /--to/,
    /--from/,
  ];
  for (const [index, words] of said.entries()) expect(outcomes[index]?.errors).toMatch(words);
  for (const { errors } of outcomes) expect(errors).not.toMatch(/^\s+at /m);
  const folders = ['of-empty', 'of-nothing', 'cut'].map(inFolder);
  expect(folders.map((name) => existsSync(name))).toEqual([false, false, false]);
});

test('settings of a Compose project that are good in its containers alone stop neither tool', async () => {
  const settings = {
    CUSTOM_DOMAINS: 'true',
    INDEXNOW_ENDPOINT: 'https://search.example/indexnow',
    WEBHOOK_URL: 'https://hooks.example.org/perch',
    WEBHOOK_SECRET_FILE: '/run/secrets/webhook-secret',
  };
  const target = await perches.create(0);
  const to = inFolder('of-compose');
  const backedUp = await startTool('backup', { ...source.env, ...settings }, '--to', to).done;
  expect(backedUp).toMatchObject({ code: 0, errors: '' });
  const restored = await startTool('restore', { ...target.env, ...settings }, '--from', to).done;
  expect(restored).toMatchObject({ code: 0, errors: '' });
});

test('the secret that a cluster has made is that of its backup, and not an embedded one in its folder', async () => {
  const dir = inFolder('secrets');
  const embedded = { DATA_DIR: dir, PG_URL: 'postgres://database' };
  const s3 = { S3_ENDPOINT: 'http://s3', S3_ACCESS_KEY: 'key', S3_SECRET_KEY: 'key' };
  const markOf = (env: Record<string, string>) => cookieSecretMark(loadStoreSettings(env));
  await mkdir(join(dir, 'cluster'), { recursive: true });
  await writeFile(join(dir, 'cookie-secret'), 'e'.repeat(43));
  const ofEmbedded = await markOf({ COOKIE_SECRET: 'e'.repeat(43) });
  expect([await markOf(embedded), await markOf({ ...embedded, ...s3 })]).toEqual([ofEmbedded, ofEmbedded]);
  await writeFile(join(dir, 'cluster', 'cookie-secret'), `${'c'.repeat(43)}\n`);
  const ofCluster = await markOf({ COOKIE_SECRET: 'c'.repeat(43) });
  expect([await markOf(embedded), await markOf({ ...embedded, ...s3 })]).toEqual([ofEmbedded, ofCluster]);
});

test('a backup without a cookie secret says so', async () => {
  const without = await mustRun('backup', source.env, '--to', inFolder('of-no-secret'));
  expect(without).toContain('No cookie secret was found');
  const env = { ...source.env, COOKIE_SECRET: 'c'.repeat(32) };
  expect(await mustRun('backup', env, '--to', inFolder('of-secret'))).not.toContain('No cookie secret');
});

describe('a backup into the same folder', () => {
  test('copies what is new, and drops what is gone', async () => {
    const perch = await perches.create();
    const to = inFolder('repeated');
    const [first = '', second = ''] = [await perch.addPage('1', '<p>1'), await perch.addPage('2', '<p>2')];
    expect(await mustRun('backup', perch.env, '--to', to)).toContain('(2 copied, 0 removed)');
    expect(await mustRun('backup', perch.env, '--to', to)).toContain('(0 copied, 0 removed)');
    await perch.sql`delete from items where id = '1'`;
    await perch.addPage('3', '<p>3');
    expect(await mustRun('backup', perch.env, '--to', to)).toContain('(1 copied, 1 removed)');
    expect(await Bun.file(pathsOf(to).blob(first)).exists()).toBe(false);
    expect((await readdir(to)).filter((name) => name.startsWith('data-'))).toHaveLength(1);
    // Of another size than it was: copied again.
    await truncate(pathsOf(to).blob(second), 1);
    expect(await mustRun('backup', perch.env, '--to', to)).toContain('(1 copied, 0 removed)');
    expect(await mustRun('restore', {}, '--from', to, '--check')).toContain('is whole');
  });

  test('without the log leaves it out', async () => {
    const perch = await perches.create();
    await perch.sql`create table access_log_20261120 partition of access_log
      for values from ('2026-11-20T00:00Z') to ('2026-11-21T00:00Z')`;
    await perch.sql`
      insert into access_log (created_at, request_id, client_ip, method, path, query, status, duration_ms)
      values ('2026-11-20T12:00Z', 'r', '192.0.2.1', 'GET', '/', '', 200, 1.25)`;
    const [withLog, without] = [inFolder('with-log'), inFolder('without-log')];
    await Promise.all([
      mustRun('backup', perch.env, '--to', withLog),
      mustRun('backup', perch.env, '--to', without, '--without-log'),
    ]);
    const runs = await perch.sql`select with_log from backup_runs order by with_log`;
    expect(Array.from(runs)).toEqual([{ with_log: false }, { with_log: true }]);
    const [full, bare] = [await perches.create(0), await perches.create(0)];
    await Promise.all([
      mustRun('restore', full.env, '--from', withLog),
      mustRun('restore', bare.env, '--from', without),
    ]);
    expect(await rowsOf(full, 'access_log')).toEqual(await rowsOf(perch, 'access_log'));
    expect(await rowsOf(bare, 'access_log')).toEqual([]);
  });

  test('is refused while another one is under way, and elsewhere is not', async () => {
    const to = inFolder('twice');
    const first = startTool('backup', source.env, '--to', to);
    await first.printed('Backing up');
    process.kill(first.pid, 'SIGSTOP');
    const [second, beside] = await Promise.all([
      runTool('backup', source.env, '--to', to),
      runTool('backup', source.env, '--to', inFolder('beside')),
    ]);
    process.kill(first.pid, 'SIGCONT');
    expect(second).toMatchObject({ code: 1, errors: expect.stringContaining('is under way') });
    expect(beside.code).toBe(0);
    expect((await first.done).code).toBe(0);
    expect(await checkFolder(to)).toBe('whole');
  });

  test('that is killed leaves the earlier one whole, and the next one goes on', async () => {
    const perch = await perches.create();
    const to = inFolder('killed');
    for (let n = 0; n < 100; n += 1) await perch.addPage(`page-${n}`, `<p>${n}`);
    for (const marker of ['access_batches', 'watermarks', 'content:']) {
      const cut = startTool('backup', perch.env, '--to', to);
      await cut.printed(marker);
      process.kill(cut.pid, 'SIGKILL');
      expect((await cut.done).code).not.toBe(0);
      expect(await checkFolder(to)).toContain('no finished backup');
    }
    expect(await mustRun('backup', perch.env, '--to', to)).toMatch(/100 blobs/);
    await perch.addPage('new', '<p>new');
    await perch.sql`delete from items where id = 'page-5'`;
    const cut = startTool('backup', perch.env, '--to', to);
    await cut.printed('content:');
    process.kill(cut.pid, 'SIGKILL');
    await cut.done;
    expect(await checkFolder(to)).toBe('whole');
    expect(await mustRun('backup', perch.env, '--to', to)).toMatch(/100 blobs .* 1 removed/);
    expect((await readdir(to)).filter((name) => name.startsWith('data-'))).toHaveLength(1);
    expect(await readdir(pathsOf(to).incoming)).toEqual([]);
  });
});

test('a rendered page that was damaged in the folder is copied again', async () => {
  const perch = await perches.create();
  const to = inFolder('rendered');
  await perch.addPage('1', '# 1');
  const viewKey = newBlobKey();
  await perch.blobs.put(viewKey, Buffer.from('<h1>1</h1>'));
  await perch.sql`update items set content = content || ${perch.sql.json({ viewKey })}`;
  expect(await mustRun('backup', perch.env, '--to', to)).toContain('(2 copied, 0 removed)');
  // The database does not know how large it is; the backup before does.
  await truncate(pathsOf(to).blob(viewKey), 3);
  expect(await mustRun('backup', perch.env, '--to', to)).toContain('(1 copied, 0 removed)');
  expect(await readFile(pathsOf(to).blob(viewKey), 'utf8')).toBe('<h1>1</h1>');
});

test('a role that may not read how far numbers have been given out makes no backup', async () => {
  const perch = await perches.create();
  const role = `perch_reader_${randomBytes(6).toString('hex')}`;
  await perch.sql.unsafe(`create role ${role} login password 'reader'`);
  await perch.sql.unsafe(`grant select on all tables in schema public to ${role}`);
  const url = new URL(perch.env.PG_URL);
  url.username = role;
  url.password = 'reader';
  const env = { ...perch.env, PG_URL: url.href };
  try {
    const refused = await runTool('backup', env, '--to', inFolder('without-sequences'));
    expect(refused).toMatchObject({
      code: 1,
      errors: expect.stringContaining('may not read the sequence access_log_id'),
    });
    await perch.sql.unsafe(`grant usage, select on all sequences in schema public to ${role}`);
    await mustRun('backup', env, '--to', inFolder('with-sequences'));
  } finally {
    await perch.sql.unsafe(`drop owned by ${role}; drop role ${role}`);
  }
});

test('a blob that a power cut left in the journal alone is taken', async () => {
  const perch = await perches.create();
  const key = await perch.addPage('1', '<p>1');
  const content = join(perch.env.DATA_DIR, 'content');
  expect(await readdir(join(content, 'journal'))).toHaveLength(1);
  await rm(join(content, 'blobs', key));
  const to = inFolder('journaled');
  expect(await mustRun('backup', perch.env, '--to', to)).toContain('(1 copied, 0 removed)');
  expect(await Bun.file(pathsOf(to).blob(key)).text()).toBe('<p>1');
});

test('a journal that cannot be restored is told of', async () => {
  const perch = await perches.create();
  await perch.addPage('1', '<p>1');
  await mkdir(join(perch.env.DATA_DIR, 'lock'));
  const { code, errors } = await runTool('backup', perch.env, '--to', inFolder('unrestored'));
  expect({ code, errors }).toEqual({ code: 1, errors: expect.stringMatching(/journal.*cannot be locked/) });
});

test('a blob that is missing or damaged in the store is named with its item', async () => {
  const perch = await perches.create();
  const [lost = '', changed = ''] = [
    await perch.addPage('lost', '<p>lost'),
    await perch.addPage('changed', '<p>changed'),
  ];
  const text = await readFile(perch.blobPath(changed));
  await perch.blobs.remove([lost]);
  const to = inFolder('incomplete');
  const missing = await runTool('backup', perch.env, '--to', to);
  expect(missing).toMatchObject({
    code: 1,
    errors: expect.stringContaining(`${lost} of /kept/lost is not in`),
  });
  await perch.sql`delete from items where id = 'lost'`;
  // From their journal it would be restored.
  await rm(join(perch.env.DATA_DIR, 'content', 'journal'), { recursive: true });
  await flip(perch.blobPath(changed), 2);
  const damaged = await runTool('backup', perch.env, '--to', inFolder('damaged-source'));
  expect(damaged).toMatchObject({ code: 1, errors: expect.stringContaining('/kept/changed is not what') });
  expect(await checkFolder(inFolder('damaged-source'))).toContain('no finished backup');
  await writeFile(perch.blobPath(changed), text);
  await mustRun('backup', perch.env, '--to', to);
});

test('a blob that is missing because the backup has lost its lock is not blamed on its item', async () => {
  const perch = await perches.create();
  const key = await perch.addPage('replaced', '<p>before');
  const tables = await perch.sql.reserve();
  await tables`begin`;
  await tables`lock table items in access exclusive mode`;
  const running = runTool('backup', perch.env, '--to', inFolder('lock-lost'));
  const waiting = () => tables`
    select from pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and relation = 'items'::regclass and not granted`;
  // The backup holds its lock once it waits for the tables.
  while ((await waiting()).length === 0) await Bun.sleep(10);
  await tables`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'perch backup' and datname = current_database()`;
  await perch.blobs.remove([key]);
  await tables`commit`;
  tables.release();
  expect(await running).toMatchObject({ code: 1, errors: expect.stringContaining('was lost meanwhile') });
});

const unusable: Record<string, [(folder: string) => Promise<void>, fault: string]> = {
  'that is damaged': [(folder) => flip(pathsOf(folder).manifest, 100), 'is damaged'],
  'that cannot be read': [
    async (folder) => {
      await rm(pathsOf(folder).manifest);
      await mkdir(pathsOf(folder).manifest);
    },
    'cannot be read (EISDIR)',
  ],
  'of another release': [
    async (folder) => writeManifest(folder, { ...(await readManifest(folder)), format: 2 as 1 }),
    'does not know',
  ],
};

for (const [index, [name, [spoil, fault]]] of Object.entries(unusable).entries()) {
  test(`a folder with a manifest ${name} is refused and left as it is`, async () => {
    const to = inFolder(`unusable-${index}`);
    await cp(backup, to, { recursive: true });
    await spoil(to);
    const before = (await readdir(to, { recursive: true })).sort();
    const { code, errors } = await runTool('backup', source.env, '--to', to);
    expect(code).toBe(1);
    expect(errors).toContain(fault);
    expect(errors).toContain('repair it, or choose another folder');
    expect((await readdir(to, { recursive: true })).sort()).toEqual(before);
  });
}

test('a tool that is told to stop gives back what it has opened, and says no more', async () => {
  const module = join(import.meta.dirname, '../../infra/backup/run-tool.ts');
  const code = `
    const { runTool } = await import(${JSON.stringify(module)});
    await runTool(async (opened) => {
      const lost = Promise.withResolvers();
      opened.defer(async () => { await Bun.sleep(50); process.stdout.write('server stopped'); });
      opened.defer(() => lost.reject(new Error('the connection is gone')));
      process.kill(process.pid, 'SIGTERM');
      await lost.promise;
    });`;
  const child = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe', stderr: 'pipe' });
  const said = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect({ said, code: await child.exited }).toEqual({ said: ['server stopped', ''], code: 143 });
});
