import { afterEach, beforeEach } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../shared/adapters/database/embedded/postgres.ts';

const MODULE = join(import.meta.dir, '../../../shared/adapters/database/embedded/postgres.ts');

/** How long a test may take in which servers start and die, in ms. */
export const LONG = 60_000;

/** The data folder of one test, and what it starts there; all of it is gone after the test. */
export interface DataFolder {
  /** The folder that holds `dataDir`, and may hold others. */
  temp: string;
  /** The data folder that `start` uses; a test may name another. */
  dataDir: string;
  /** Log lines of the server's keeper. */
  readonly said: string[];
  readonly log: pino.Logger;
  /** Processes to be ended. */
  readonly children: ChildProcess[];
  /** Databases outside the data folder, to be removed. */
  readonly outside: string[];
  start(): Promise<EmbeddedPostgres>;
  /** Starts a process like Perch's that starts the server and stays; `output` is the server's URL, or `refused: why`. */
  parent(): { child: ChildProcess; output: Promise<string> };
  /** Starts such a process, keeps a note in its database and kills it. The server lives on. */
  orphan(note: string): Promise<{ url: string; pid: number }>;
  clusterPath(): string;
  serverPid(): Promise<number>;
}

export function useDataFolder(): DataFolder {
  const servers: EmbeddedPostgres[] = [];
  const said: string[] = [];
  const folder: DataFolder = {
    temp: '',
    dataDir: '',
    said,
    children: [],
    outside: [],
    log: pino({ level: 'info' }, { write: (line: string) => void said.push(line) }),
    async start() {
      const server = await startEmbeddedPostgres({ dataDir: folder.dataDir, log: folder.log });
      servers.push(server);
      return server;
    },
    parent() {
      const { child, output } = startParent(folder.dataDir);
      folder.children.push(child);
      return { child, output };
    },
    async orphan(note) {
      const { child, output } = folder.parent();
      const url = await output;
      await keep(url, note);
      const pid = await folder.serverPid();
      await killed(child);
      return { url, pid };
    },
    clusterPath: () => join(folder.dataDir, 'postgres', 'cluster'),
    async serverPid() {
      const pidFile = await readFile(join(folder.clusterPath(), 'postmaster.pid'), 'utf8');
      return Number(pidFile.split('\n')[0]);
    },
  };
  beforeEach(async () => {
    folder.temp = await realpath(await mkdtemp(join(tmpdir(), 'perch-embedded-')));
    await chmod(folder.temp, 0o755);
    folder.dataDir = join(folder.temp, 'data');
    said.splice(0);
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
    for (const child of folder.children.splice(0)) child.kill('SIGKILL');
    await rm(folder.temp, { recursive: true, force: true });
    for (const path of folder.outside.splice(0)) await rm(path, { recursive: true, force: true });
  });
  return folder;
}

function startParent(dataDir: string): { child: ChildProcess; output: Promise<string> } {
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
  const output = new Promise<string>((resolve) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    child.once('exit', () => resolve(''));
  });
  return { child, output };
}

export async function killed(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

/** Alive and not merely unreaped: the server of a killed parent belongs to process 1, which may never collect it. */
export async function isRunning(pid: number): Promise<boolean> {
  const status = Bun.spawn(['ps', '-o', 'stat=', '-p', String(pid)], { stdout: 'pipe' });
  const text = (await status.stdout.text()).trim();
  return text !== '' && !text.startsWith('Z');
}

export async function query<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

export const keep = (url: string, note: string) =>
  query(url, async (sql) => {
    await sql`create table if not exists notes (note text)`;
    await sql`insert into notes values (${note})`;
  });

export const notes = (url: string) =>
  query(url, async (sql) => (await sql<{ note: string }[]>`select note from notes`).map((row) => row.note));
