import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import { putAsideIfLarge } from '../../../large-log.ts';
import type { Logger } from '../../../logger.ts';
import { messageOf } from '../../../message-of.ts';
import type { Account } from './account.ts';
import { type Binaries, programOptions } from './binaries.ts';
import { ROLE } from './cluster.ts';
import { findPostmaster, pollUntil, readPostmaster, stopPostmaster } from './process.ts';

const ADDRESS = '127.0.0.1';
/** Recovery after a crash can take this long, in ms. */
const READY_LIMIT_MS = 120_000;
const LOG_MAX_BYTES = 1_048_576;

/** Small memory, few processes; what makes a commit durable stays on. */
const SETTINGS = {
  listen_addresses: ADDRESS,
  unix_socket_directories: '',
  max_connections: '40',
  shared_buffers: '32MB',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  effective_cache_size: '256MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_replication_slots: '0',
  min_wal_size: '32MB',
  max_wal_size: '256MB',
  io_method: 'sync',
  jit: 'off',
  max_worker_processes: '0',
  max_parallel_workers: '0',
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  max_logical_replication_workers: '0',
  autovacuum_worker_slots: '2',
  autovacuum_max_workers: '2',
  // A statement whose client was killed ends instead of keeping its locks.
  client_connection_check_interval: '2s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Failed statements are our affair, and their text may hold what people stored.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
} as const;

export interface ServerSettings {
  home: string;
  cluster: string;
  password: string;
  account: Account | null;
  binaries: Binaries;
  log: Logger;
}

export interface RunningServer {
  pid: number;
  port: number;
  adopted: boolean;
}

/**
 * Adopts the server that already runs on the cluster, or starts one.
 *
 * @param port the port to use, and the only one accepted; any free one when undefined
 * @throws Error with the end of the server's log when it does not come up
 */
export async function bringUp(settings: ServerSettings, port?: number): Promise<RunningServer> {
  return (await adopt(settings, port)) ?? (await launch(settings, port ?? (await freePort())));
}

/**
 * Waits while a running server of this cluster starts or stops; `null` once there is none. A server that was started
 * before the folder was renamed is stopped: it would look for its settings under the former name.
 */
async function adopt(settings: ServerSettings, port?: number): Promise<RunningServer | null> {
  const { cluster, log } = settings;
  let found = await findPostmaster(cluster);
  if (found === null) return null;
  if (found.folder !== cluster) {
    const { pid, folder } = found;
    log.warn({ serverPid: pid, folder }, 'the folder of a database server was renamed; stopping that server');
    await stopPostmaster(pid, cluster);
    return null;
  }
  log.info({ serverPid: found.pid }, 'a database server left by an earlier process runs; taking it over');
  const settled = await pollUntil(async () => {
    found = await findPostmaster(cluster);
    return found === null || found.status === 'ready';
  }, READY_LIMIT_MS);
  if (found === null) return null;
  if (!settled) throw new Error(`The PostgreSQL server of ${cluster} (process ${found.pid}) is not ready.`);
  if (port !== undefined && found.port !== port) {
    throw new Error(`The PostgreSQL server of ${cluster} listens on port ${found.port} instead of ${port}.`);
  }
  await checkAccess(settings, found.port);
  return { pid: found.pid, port: found.port, adopted: true };
}

async function launch(settings: ServerSettings, port: number): Promise<RunningServer> {
  const { home, cluster, account, binaries } = settings;
  // No server runs here (bringUp looked, and the folder is locked for us). PostgreSQL refuses to start when the file is
  // torn or its number now belongs to some other process of its user, so the file has to go.
  await rm(join(cluster, 'postmaster.pid'), { force: true });
  const logFile = join(home, 'postgres.log');
  await putAsideIfLarge(logFile, LOG_MAX_BYTES);
  // A file, not a pipe: the server outlives us when we are killed, and must not block on a reader that is gone.
  const output = await open(logFile, 'a', 0o600);
  const flags = Object.entries({ port, ...SETTINGS }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let child: ChildProcess;
  try {
    child = spawn(binaries.postgres, ['-D', cluster, ...flags], {
      ...programOptions(account),
      // A session of its own: Ctrl+C in the terminal is for us, who stop the server last.
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
    });
  } finally {
    await output.close();
  }
  let ended: string | undefined;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', (code, signal) => {
    ended = `exit ${code ?? signal}`;
  });
  child.unref();
  await pollUntil(async () => {
    if (ended !== undefined) return true;
    const file = await readPostmaster(cluster);
    return file?.pid === child.pid && file?.status === 'ready';
  }, READY_LIMIT_MS);
  if (ended !== undefined || child.pid === undefined) {
    throw new Error(`PostgreSQL did not start (${ended}). The end of its log: ${await tail(logFile)}`);
  }
  try {
    await checkAccess(settings, port);
  } catch (error) {
    await stopPostmaster(child.pid, cluster);
    throw error;
  }
  return { pid: child.pid, port, adopted: false };
}

/** Makes sure that what listens on the port is this cluster and takes our password. */
async function checkAccess({ cluster, password }: ServerSettings, port: number): Promise<void> {
  const client = postgres(serverUrl(password, port), {
    max: 1,
    connect_timeout: 10,
    fetch_types: false,
    onnotice: () => undefined,
  });
  try {
    const [row] = await client<{ folder: string }[]>`select current_setting('data_directory') as folder`;
    if (row?.folder !== cluster) throw new Error(`Port ${port} serves ${row?.folder} instead of ${cluster}.`);
  } catch (error) {
    throw new Error(
      `The PostgreSQL server of ${cluster} does not answer as it should on port ${port}: ${messageOf(error)}`,
      { cause: error },
    );
  } finally {
    await client.end({ timeout: 1 });
  }
}

export function serverUrl(password: string, port: number): string {
  return `postgres://${ROLE}:${encodeURIComponent(password)}@${ADDRESS}:${port}/postgres`;
}

async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, ADDRESS, () => {
      const address = server.address();
      server.close(() =>
        address !== null && typeof address === 'object'
          ? resolve(address.port)
          : reject(new Error('no free port')),
      );
    });
  });
}

async function tail(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim().split('\n').slice(-5).join(' | ');
}
