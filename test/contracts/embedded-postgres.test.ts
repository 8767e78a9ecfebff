import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import { openDatabase } from '../../shared/adapters/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../shared/adapters/embedded-postgres.ts';
import { PerchError } from '../../shared/errors.ts';

const isUnavailable = (error: unknown): boolean =>
  error instanceof PerchError && error.code === 'UNAVAILABLE';

const MODULE = join(import.meta.dir, '../../shared/adapters/embedded-postgres.ts');
const LONG = 60_000;
let temp = '';
let dataDir = '';
let said: string[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => void said.push(line) });
const servers: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];
/** Databases outside the data folder, to be removed. */
const outside: string[] = [];

beforeEach(async () => {
  temp = await realpath(await mkdtemp(join(tmpdir(), 'perch-embedded-')));
  await chmod(temp, 0o755);
  dataDir = join(temp, 'data');
  said = [];
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(temp, { recursive: true, force: true });
  for (const folder of outside.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log });
  servers.push(server);
  return server;
}

async function query<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const keep = (url: string, note: string) =>
  query(url, async (sql) => {
    await sql`create table if not exists notes (note text)`;
    await sql`insert into notes values (${note})`;
  });
const notes = (url: string) =>
  query(url, async (sql) => (await sql<{ note: string }[]>`select note from notes`).map((row) => row.note));

const clusterOf = (home = join(dataDir, 'postgres')) => join(home, 'cluster');

async function serverPid(cluster = clusterOf()): Promise<number> {
  return Number((await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** Alive and not merely unreaped: the server of a killed parent belongs to process 1, which may never collect it. */
async function isRunning(pid: number): Promise<boolean> {
  const status = Bun.spawn(['ps', '-o', 'stat=', '-p', String(pid)], { stdout: 'pipe' });
  const text = (await status.stdout.text()).trim();
  return text !== '' && !text.startsWith('Z');
}

async function until(check: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await check())) {
    if (Date.now() > end) throw new Error('waited too long');
    await Bun.sleep(10);
  }
}

/** A Perch-like process that starts the server and stays. */
function parent(): { child: ChildProcess; output: Promise<string> } {
  const code = `
    import pino from 'pino';
    import { startEmbeddedPostgres } from ${JSON.stringify(MODULE)};
    try {
      const { url } = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log: pino({ level: 'silent' }) });
      console.log(url);
      setInterval(() => undefined, 1000);
    } catch (error) { console.log('refused: ' + error.message); process.exit(1); }`;
  const child = spawn(process.execPath, ['-e', code], {
    cwd: import.meta.dir,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const output = new Promise<string>((resolve) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    child.once('exit', () => resolve(''));
  });
  return { child, output };
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

test(
  'keeps data over stop and start, leaves no process behind, keeps its password to itself',
  async () => {
    const first = await start();
    await keep(first.url, 'one');
    const pid = await serverPid();
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
    expect(await isRunning(pid)).toBe(false);
    expect((await stat(join(dataDir, 'postgres', 'password'))).mode & 0o777).toBe(0o600);
    expect((await stat(clusterOf())).mode & 0o077).toBe(0);

    const second = await start();
    expect(await notes(second.url)).toEqual(['one']);
    const password = new URL(second.url).password;
    expect(said.join('')).not.toContain(password);
  },
  LONG,
);

test(
  'takes over the server of a process that was killed, with its data, and stops it in the end',
  async () => {
    const { child, output } = parent();
    const url = await output;
    await keep(url, 'before the kill');
    const pid = await serverPid();
    await killed(child);
    expect(await isRunning(pid)).toBe(true);

    const adopted = await start();
    expect(adopted.url).toBe(url);
    expect(await serverPid()).toBe(pid);
    expect(await notes(adopted.url)).toEqual(['before the kill']);
    await adopted.stop();
    expect(await isRunning(pid)).toBe(false);
  },
  LONG,
);

test(
  'starts anew after the process and its server were both killed',
  async () => {
    const { child, output } = parent();
    await keep(await output, 'committed');
    const pid = await serverPid();
    await killed(child);
    process.kill(pid, 'SIGKILL');
    const server = await start();
    expect(await serverPid()).not.toBe(pid);
    expect(await notes(server.url)).toEqual(['committed']);
  },
  LONG,
);

for (const adopted of [false, true]) {
  test(
    `starts a ${adopted ? 'taken-over' : 'started'} server that dies again on the same port`,
    async () => {
      if (adopted) {
        const { child, output } = parent();
        await output;
        await killed(child);
      }
      const server = await start();
      await keep(server.url, 'committed');
      const sql = openDatabase(server.url, { log, maxConnections: 2, statementTimeoutMs: 2000 });
      await sql`select 1`;
      const pid = await serverPid();
      process.kill(pid, 'SIGKILL');
      const failures: unknown[] = [];
      await until(async () => {
        try {
          await sql`select 1`;
          return (await serverPid()) !== pid;
        } catch (error) {
          failures.push(error);
          return false;
        }
      });
      expect(failures.filter((error) => !isUnavailable(error))).toEqual([]);
      expect([...(await sql`select note from notes`.values())]).toEqual([['committed']]);
      await sql.end({ timeout: 1 });
      // It takes statements before whoever started it has seen that it does.
      await until(async () => said.join('').includes('the database server runs again'));
      const last = await serverPid();
      await server.stop();
      expect(await isRunning(last)).toBe(false);
    },
    LONG,
  );
}

test(
  'refuses a second process on the same folder and leaves the first alone',
  async () => {
    const server = await start();
    expect(await parent().output).toContain('in use by another Perch process');
    await keep(server.url, 'still here');
  },
  LONG,
);

test(
  'does a first start again that was killed half-way',
  async () => {
    const { child } = parent();
    const home = join(dataDir, 'postgres');
    const unfinished = async () =>
      (await readdir(home).catch((): string[] => [])).find((name) => name.startsWith('unfinished-init-'));
    await until(async () => {
      const name = await unfinished();
      return (
        name !== undefined && (await readdir(join(home, name)).catch((): string[] => [])).includes('cluster')
      );
    });
    await killed(child);
    expect(await readdir(home)).not.toContain('cluster');

    const server = await start();
    await keep(server.url, 'works');
    expect(said.join('')).toContain('removing a database whose creation was cut off');
    await server.stop();
    // The orphaned initdb may have written on for a moment; the next start leaves nothing of it.
    await until(async () => {
      const again = await start();
      await again.stop();
      return (await unfinished()) === undefined;
    });
  },
  LONG,
);

test(
  'a process number that now belongs to somebody else keeps nothing from starting and is not touched',
  async () => {
    await (await start()).stop();
    const { uid, gid } = await stat(clusterOf());
    // Of the database's own user: PostgreSQL by itself would take it for the old server and refuse.
    const foreign = spawn('sleep', ['60'], { stdio: 'ignore', cwd: '/', uid, gid });
    children.push(foreign);
    const file = join(clusterOf(), 'postmaster.pid');
    await writeFile(file, `${foreign.pid}\n${clusterOf()}\n1700000000\n1\n\n127.0.0.1\n\nready   \n`);
    const server = await start();
    await keep(server.url, 'works');
    expect(await isRunning(foreign.pid ?? 0)).toBe(true);
    await server.stop();
    expect(await isRunning(foreign.pid ?? 0)).toBe(true);

    await writeFile(file, '');
    await keep((await start()).url, 'works after a torn file');
  },
  LONG,
);

test(
  'a folder that is not a whole database is refused and kept as it is',
  async () => {
    await mkdir(clusterOf(), { recursive: true });
    await writeFile(join(clusterOf(), 'precious'), 'data');
    await expect(start()).rejects.toThrow('is not a whole PostgreSQL database');
    expect(await readFile(join(clusterOf(), 'precious'), 'utf8')).toBe('data');
  },
  LONG,
);

test(
  'a lost password is replaced, also while an orphaned server runs',
  async () => {
    const { child, output } = parent();
    await keep(await output, 'kept');
    await killed(child);
    await rm(join(dataDir, 'postgres', 'password'));
    expect(await notes((await start()).url)).toEqual(['kept']);
  },
  LONG,
);

test(
  'a data folder closed to the database user: the database is elsewhere, found again, and not mixed up',
  async () => {
    const closed = join(temp, 'closed');
    await mkdir(closed, { mode: 0o700 });
    dataDir = join(closed, 'data');
    const root = process.getuid?.() === 0;
    const pointer = join(dataDir, 'postgres', 'location');
    const home = async (): Promise<string> =>
      root ? (await readFile(pointer, 'utf8')).trim() : join(dataDir, 'postgres');
    const first = await start();
    const place = await home();
    if (root) {
      outside.push(place);
      expect(said.join('')).toContain('the database is kept outside the data folder');
      expect(place).toStartWith('/var/lib/perch/');
    }
    await keep(first.url, 'elsewhere');
    await first.stop();

    const moved = join(closed, 'moved');
    await rename(dataDir, moved);
    dataDir = moved;
    const second = await startEmbeddedPostgres({ dataDir, log });
    expect(await notes(second.url)).toEqual(['elsewhere']);
    await second.stop();

    // Emptied to start anew: a fresh database, whatever an earlier folder of this name left.
    await rm(moved, { recursive: true });
    dataDir = join(closed, 'data');
    const third = await start();
    expect(await notes(third.url).catch((error: postgres.PostgresError) => error.code)).toBe('42P01');
    if (root) {
      const kept = (await readdir('/var/lib/perch')).map((name) => join('/var/lib/perch', name));
      const aside = kept.filter((path) => path.startsWith(`${place}-set-aside-`));
      outside.push(...aside);
      expect(aside).toHaveLength(1);
    }
  },
  LONG,
);
