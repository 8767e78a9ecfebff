import { beforeEach, expect, test } from 'bun:test';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from '../../shared/adapters/data-dir/folder-lock.ts';
import { migrate } from '../../shared/adapters/database/migrate.ts';
import { MIGRATIONS } from '../../shared/wiring/migrations.ts';
import { startTool } from '../backup-tools.ts';
import { isRunning, LONG, useDataFolder } from './database/embedded-fixtures.ts';

const folder = useDataFolder();

/** A Perch that does not run. */
beforeEach(async () => {
  const server = await folder.start();
  await migrate(server.url, { directory: MIGRATIONS, log: folder.log });
  await server.stop();
  await mkdir(join(folder.dataDir, 'content', 'blobs'), { recursive: true });
}, LONG);

const startBackup = () =>
  startTool('backup', { DATA_DIR: folder.dataDir }, '--to', join(folder.temp, 'backup'));

test(
  'a database server that a killed backup has left is stopped by the next one',
  async () => {
    const cut = startBackup();
    await cut.printed('access_batches');
    process.kill(cut.pid, 'SIGKILL');
    await cut.done;
    const left = await folder.serverPid();
    expect(await isRunning(left)).toBe(true);
    expect(await startBackup().done).toMatchObject({ code: 0, errors: '' });
    expect(await isRunning(left)).toBe(false);
    lockFolder(folder.dataDir).release();
  },
  LONG,
);

test(
  'the database server of a Perch that runs goes on',
  async () => {
    const lock = lockFolder(folder.dataDir);
    await folder.start();
    const own = await folder.serverPid();
    expect(await startBackup().done).toMatchObject({ code: 0, errors: '' });
    expect(await isRunning(own)).toBe(true);
    lock.release();
  },
  LONG,
);

test(
  'a new DATA_DIR with the cookie secret of then gets the idempotency keys',
  async () => {
    await writeFile(join(folder.dataDir, 'cookie-secret'), 'c'.repeat(64));
    expect(await startBackup().done).toMatchObject({ code: 0 });
    const target = join(folder.temp, 'target');
    await mkdir(target);
    await copyFile(join(folder.dataDir, 'cookie-secret'), join(target, 'cookie-secret'));
    const restored = await startTool('restore', { DATA_DIR: target }, '--from', join(folder.temp, 'backup'))
      .done;
    expect(restored).toMatchObject({
      code: 0,
      errors: '',
      output: expect.stringMatching(/Restored. Start Perch.\n$/),
    });
  },
  LONG,
);
