import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ensureCommands } from '../../infra/servers/debian.ts';
import { keptPorts } from '../../infra/servers/port.ts';
import { startPostgres } from '../../infra/servers/postgres.ts';
import { postgresFolder } from '../../infra/servers/postgres-folder.ts';

/** Closed to all other users, as folders of `mkdtemp` are. */
let closed = '';
const elsewhere: string[] = [];

beforeAll(async () => {
  await ensureCommands(['postgres', 'setpriv']);
  closed = await mkdtemp(join(tmpdir(), 'perch-closed-'));
});
afterAll(async () => {
  for (const folder of [closed, ...elsewhere]) await rm(folder, { recursive: true, force: true });
});

/** The folder for a database that is wanted below the closed one. */
async function folderFor(dir: string): Promise<string> {
  const folder = await postgresFolder(dir);
  if (folder !== dir) elsewhere.push(folder);
  return folder;
}

test('a database that lies elsewhere goes along when its folder is moved', async () => {
  const [before, after] = [join(closed, 'one', 'db'), join(closed, 'two', 'db')];
  const folder = await folderFor(before);
  await writeFile(join(folder, 'mark'), '');
  await rename(dirname(before), dirname(after));
  // Where Perch is not root, PostgreSQL runs as its user, who reaches the folder.
  expect(await folderFor(after)).toBe(folder === before ? after : folder);
  expect(existsSync(join(await folderFor(after), 'mark'))).toBe(true);
});

test('the database of a folder that is not there stays, unless that was a temporary one', async () => {
  const folder = await folderFor(join(closed, 'three', 'db'));
  if (folder === join(closed, 'three', 'db')) return;
  const [kept, forsaken] = ['kept', 'forsaken'].map((name) => join(dirname(folder), `test-${name}`));
  for (const [path = '', origin] of [
    [kept, '/mnt/not-mounted/perch/db'],
    [forsaken, join(closed, 'gone')],
  ]) {
    await mkdir(path, { recursive: true });
    elsewhere.push(path);
    await writeFile(join(path, 'origin'), origin ?? '');
  }
  await folderFor(join(closed, 'four', 'db'));
  expect([existsSync(kept ?? ''), existsSync(forsaken ?? '')]).toEqual([true, false]);
});

test('the database of a folder that was removed is set aside, as it is none of the new folder', async () => {
  const dir = join(closed, 'six', 'db');
  const folder = await folderFor(dir);
  await mkdir(join(folder, 'data'));
  await writeFile(join(folder, 'data', 'mark'), '');
  await rm(dirname(dir), { recursive: true });
  expect(await folderFor(dir)).toBe(folder);
  expect(existsSync(join(folder, 'data'))).toBe(false);
  if (folder === dir) return;
  const names = (await readdir(dirname(folder))).filter((name) =>
    name.startsWith(`${basename(folder)}-set-aside-`),
  );
  const aside = names.map((name) => join(dirname(folder), name));
  elsewhere.push(...aside);
  expect(aside.map((kept) => existsSync(join(kept, 'data', 'mark')))).toEqual([true]);
});

test('a database whose server runs is not set aside', async () => {
  const dir = join(closed, 'seven', 'db');
  const server = await startPostgres({ dir });
  const folder = dirname(server.dataFolder);
  if (folder !== dir) elsewhere.push(folder);
  try {
    await rm(join(dir, 'location'), { force: true });
    const again = postgresFolder(dir);
    if (folder === dir) expect(await again).toBe(dir);
    else await expect(again).rejects.toThrow(`already runs on ${server.dataFolder}`);
    expect(existsSync(server.dataFolder)).toBe(true);
  } finally {
    await server.stop();
  }
}, 60_000);

test('a folder whose database is not where it says is refused, not begun anew', async () => {
  const dir = join(closed, 'five', 'db');
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'location'), join(closed, 'nowhere'));
  await expect(postgresFolder(dir)).rejects.toThrow('which is not there');
});

test('ports of servers are the same at each start, and a damaged list of them is named', async () => {
  const dir = join(closed, 'ports');
  const ports = await keptPorts(dir, 3);
  expect(await keptPorts(dir, 3)).toEqual(ports);
  await writeFile(join(dir, 'ports.json'), '');
  await expect(keptPorts(dir, 3)).rejects.toThrow(`${join(dir, 'ports.json')} is damaged`);
});
