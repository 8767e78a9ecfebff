import { expect, test } from 'bun:test';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import { until } from '../../../infra/until.ts';
import { startEmbeddedPostgres } from '../../../shared/adapters/database/embedded/postgres.ts';
import { isRunning, keep, LONG, notes, query, useDataFolder } from './embedded-fixtures.ts';

const folder = useDataFolder();

test(
  'keeps data over stop and start, leaves no process behind, keeps its password to itself',
  async () => {
    const first = await folder.start();
    await keep(first.url, 'one');
    const pid = await folder.serverPid();
    const wrong = first.url.replace(/:[^:@]+@/, ':guess@');
    expect(await notes(wrong).catch((error: postgres.PostgresError) => error.code)).toBe('28P01');
    const settings = await query(
      first.url,
      (sql) =>
        sql`select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'listen_addresses')`,
    );
    expect(Object.fromEntries(settings.map((row) => [row.name, row.setting]))).toEqual({
      fsync: 'on',
      listen_addresses: '127.0.0.1',
      synchronous_commit: 'on',
    });
    await Promise.all([first.stop(), first.stop()]);
    await until('the server is gone', async () => !(await isRunning(pid)));
    expect((await stat(join(folder.dataDir, 'postgres', 'password'))).mode & 0o777).toBe(0o600);
    expect((await stat(folder.clusterPath())).mode & 0o077).toBe(0);

    const second = await folder.start();
    expect(await notes(second.url)).toEqual(['one']);
    const password = new URL(second.url).password;
    expect(folder.said.join('')).not.toContain(password);
  },
  LONG,
);

test(
  'refuses a second process on the same folder and leaves the first alone',
  async () => {
    const server = await folder.start();
    expect(await folder.parent().output).toContain('in use by another Perch process');
    await keep(server.url, 'still here');
  },
  LONG,
);

test(
  'a folder that is not a whole database is refused and kept as it is',
  async () => {
    await mkdir(folder.clusterPath(), { recursive: true });
    await writeFile(join(folder.clusterPath(), 'precious'), 'data');
    await expect(folder.start()).rejects.toThrow('is not a whole PostgreSQL database');
    expect(await readFile(join(folder.clusterPath(), 'precious'), 'utf8')).toBe('data');
  },
  LONG,
);

test(
  'a data folder closed to the database user: the database is elsewhere, found again, and not mixed up',
  async () => {
    const closed = join(folder.temp, 'closed');
    await mkdir(closed, { mode: 0o700 });
    folder.dataDir = join(closed, 'data');
    const root = process.getuid?.() === 0;
    const pointer = join(folder.dataDir, 'postgres', 'location');
    const home = async (): Promise<string> =>
      root ? (await readFile(pointer, 'utf8')).trim() : join(folder.dataDir, 'postgres');
    const first = await folder.start();
    const place = await home();
    if (root) {
      folder.outside.push(place);
      expect(folder.said.join('')).toContain('the database is kept outside the data folder');
      expect(place).toStartWith('/var/lib/perch/');
    }
    await keep(first.url, 'elsewhere');
    await first.stop();

    const moved = join(closed, 'moved');
    await rename(folder.dataDir, moved);
    folder.dataDir = moved;
    const second = await startEmbeddedPostgres({ dataDir: folder.dataDir, log: folder.log });
    expect(await notes(second.url)).toEqual(['elsewhere']);
    await second.stop();

    // Emptied to start anew: a fresh database, whatever an earlier folder of this name left.
    await rm(moved, { recursive: true });
    folder.dataDir = join(closed, 'data');
    const third = await folder.start();
    expect(await notes(third.url).catch((error: postgres.PostgresError) => error.code)).toBe('42P01');
    if (root) {
      const kept = (await readdir('/var/lib/perch')).map((name) => join('/var/lib/perch', name));
      const aside = kept.filter((path) => path.startsWith(`${place}-set-aside-`));
      folder.outside.push(...aside);
      expect(aside).toHaveLength(1);
    }
  },
  LONG,
);
