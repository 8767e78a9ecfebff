import { expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../../infra/until.ts';
import { openDatabase } from '../../../shared/adapters/database/postgres.ts';
import { PerchError } from '../../../shared/perch-error.ts';
import { isRunning, keep, killed, LONG, notes, useDataFolder } from './embedded-fixtures.ts';

const isUnavailable = (error: unknown): boolean =>
  error instanceof PerchError && error.code === 'UNAVAILABLE';

const folder = useDataFolder();

test(
  'takes over the server of a process that was killed, with its data, and stops it in the end',
  async () => {
    const { url, pid } = await folder.orphan('before the kill');
    expect(await isRunning(pid)).toBe(true);

    const adopted = await folder.start();
    expect(adopted.url).toBe(url);
    expect(await folder.serverPid()).toBe(pid);
    expect(await notes(adopted.url)).toEqual(['before the kill']);
    await adopted.stop();
    // Its command line, by which it is known, goes a moment before it.
    await until('the server is gone', async () => !(await isRunning(pid)));
  },
  LONG,
);

test(
  'starts anew after the process and its server were both killed',
  async () => {
    const { pid } = await folder.orphan('committed');
    process.kill(pid, 'SIGKILL');
    const server = await folder.start();
    expect(await folder.serverPid()).not.toBe(pid);
    expect(await notes(server.url)).toEqual(['committed']);
  },
  LONG,
);

for (const adopted of [false, true]) {
  test(
    `starts a ${adopted ? 'taken-over' : 'started'} server that dies again on the same port`,
    async () => {
      if (adopted) {
        const { child, output } = folder.parent();
        await output;
        await killed(child);
      }
      const server = await folder.start();
      await keep(server.url, 'committed');
      const sql = openDatabase(server.url, { log: folder.log, maxConnections: 2, statementTimeoutMs: 2000 });
      await sql`select 1`;
      const pid = await folder.serverPid();
      process.kill(pid, 'SIGKILL');
      const failures: unknown[] = [];
      await until('another server takes statements', async () => {
        try {
          await sql`select 1`;
          return (await folder.serverPid()) !== pid;
        } catch (error) {
          failures.push(error);
          return false;
        }
      });
      expect(failures.filter((error) => !isUnavailable(error))).toEqual([]);
      expect([...(await sql`select note from notes`.values())]).toEqual([['committed']]);
      await sql.end({ timeout: 1 });
      // The server accepts statements before its starter has noticed.
      await until('its keeper has seen that', async () =>
        folder.said.join('').includes('the database server runs again'),
      );
      const last = await folder.serverPid();
      await server.stop();
      await until('the server is gone', async () => !(await isRunning(last)));
    },
    LONG,
  );
}

test(
  'does a first start again that was killed half-way',
  async () => {
    const { child } = folder.parent();
    const home = join(folder.dataDir, 'postgres');
    const unfinished = async () =>
      (await readdir(home).catch((): string[] => [])).find((name) => name.startsWith('unfinished-init-'));
    await until('the first start has begun to fill its folder', async () => {
      const name = await unfinished();
      return (
        name !== undefined && (await readdir(join(home, name)).catch((): string[] => [])).includes('cluster')
      );
    });
    await killed(child);
    expect(await readdir(home)).not.toContain('cluster');

    const server = await folder.start();
    await keep(server.url, 'works');
    expect(folder.said.join('')).toContain('removing a database whose creation was cut off');
    await server.stop();
    // The orphaned initdb may have written on for a moment; the next start leaves nothing of it.
    await until('nothing is left of the first start', async () => {
      const again = await folder.start();
      await again.stop();
      return (await unfinished()) === undefined;
    });
  },
  LONG,
);

test(
  'a data folder that was renamed under the server of a killed process: that server is stopped, and another one started',
  async () => {
    const { pid } = await folder.orphan('before the kill');
    const renamed = join(folder.temp, 'renamed');
    await rename(folder.dataDir, renamed);
    folder.dataDir = renamed;
    const server = await folder.start();
    expect(await notes(server.url)).toEqual(['before the kill']);
    expect(folder.said.join('')).not.toContain('trying again');
    await until('the former server is gone', async () => !(await isRunning(pid)));
  },
  LONG,
);

test(
  'a copy at the former place of a renamed data folder has a server of its own, and the other is not touched',
  async () => {
    const { url, pid } = await folder.orphan('before the kill');
    const renamed = join(folder.temp, 'renamed');
    await rename(folder.dataDir, renamed);
    // With the owners of its files.
    await Bun.$`cp -a ${renamed} ${folder.dataDir}`;
    const server = await folder.start();
    await keep(server.url, 'in the copy');
    expect(await folder.serverPid()).not.toBe(pid);
    expect(await notes(url)).toEqual(['before the kill']);
    await server.stop();
    expect(await isRunning(pid)).toBe(true);
    folder.dataDir = renamed;
    expect(await notes((await folder.start()).url)).toEqual(['before the kill']);
  },
  LONG,
);

test(
  'a process number that now belongs to somebody else keeps nothing from starting and is not touched',
  async () => {
    await (await folder.start()).stop();
    const { uid, gid } = await stat(folder.clusterPath());
    // Of the database's own user: PostgreSQL by itself would take it for the old server and refuse.
    const foreign = spawn('sleep', ['60'], { stdio: 'ignore', cwd: '/', uid, gid });
    folder.children.push(foreign);
    const file = join(folder.clusterPath(), 'postmaster.pid');
    await writeFile(
      file,
      `${foreign.pid}\n${folder.clusterPath()}\n1700000000\n1\n\n127.0.0.1\n\nready   \n`,
    );
    const server = await folder.start();
    await keep(server.url, 'works');
    expect(await isRunning(foreign.pid ?? 0)).toBe(true);
    await server.stop();
    expect(await isRunning(foreign.pid ?? 0)).toBe(true);

    await writeFile(file, '');
    await keep((await folder.start()).url, 'works after a torn file');
  },
  LONG,
);

test(
  'a lost password is replaced, also while an orphaned server runs',
  async () => {
    const { child, output } = folder.parent();
    await keep(await output, 'kept');
    await killed(child);
    await rm(join(folder.dataDir, 'postgres', 'password'));
    expect(await notes((await folder.start()).url)).toEqual(['kept']);
  },
  LONG,
);
