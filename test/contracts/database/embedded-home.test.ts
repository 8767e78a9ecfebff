import { expect, test } from 'bun:test';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseHome } from '../../../shared/adapters/database/embedded/home.ts';
import { useDataFolder } from './embedded-fixtures.ts';

const folder = useDataFolder();
const isRoot = process.getuid?.() === 0;
const own = () => join(folder.dataDir, 'postgres');
const pointer = () => join(own(), 'location');

/** An account for which nothing is prepared: the pointer comes first. */
const ACCOUNT = { name: 'postgres', uid: 1, gid: 1 };

test('without a pointer the database is in the data folder', async () => {
  await mkdir(folder.dataDir);
  expect(await databaseHome(folder.dataDir, null, folder.log)).toBe(own());
});

test('a pointer that cannot be read is not taken for none', async () => {
  await mkdir(pointer(), { recursive: true });
  await expect(databaseHome(folder.dataDir, null, folder.log)).rejects.toThrow(
    `${pointer()} cannot be read, so Perch does not know where its database is (EISDIR`,
  );
});

test('a database folder that cannot be looked at is not taken for a missing one', async () => {
  await mkdir(own(), { recursive: true });
  const loop = join(folder.temp, 'loop');
  await symlink(loop, loop);
  await writeFile(pointer(), `${loop}\n`);
  await expect(databaseHome(folder.dataDir, ACCOUNT, folder.log)).rejects.toThrow(`${loop} cannot be read`);
});

test.if(isRoot)(
  'an ordinary user is told that root made the database, also where only root may read it',
  async () => {
    await mkdir(own(), { recursive: true });
    await writeFile(pointer(), '/nowhere\n', { mode: 0o600 });
    for (const mode of [0o700, 0o755]) {
      await chmod(own(), mode);
      process.seteuid?.('nobody');
      const home = databaseHome(folder.dataDir, null, folder.log);
      const outcome = await home.catch(String).finally(() => process.seteuid?.(0));
      expect(outcome).toContain('made by root. Start Perch as root.');
    }
  },
);
