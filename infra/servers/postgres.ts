import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { $ } from 'bun';
import { readPostmaster, runsCluster } from '../../shared/adapters/database/embedded/process.ts';
import { ownEnvironment } from '../environment.ts';
import { commandPath, ensureCommands } from './debian.ts';
import { freePort } from './port.ts';
import { postgresFolder, postgresUser } from './postgres-folder.ts';
import { isAlive, waitUntilGone } from './process-tree.ts';
import { asUser, createChildServer, type Server } from './server.ts';

const FORMER_SERVER_LIMIT_MS = 15_000;

/** Variable with the folder of a cluster that new ones are copies of: `initdb` takes ten times the processor time of a copy. */
export const PREPARED_CLUSTER = 'PERCH_PREPARED_CLUSTER';

/** Into a folder beside, renamed when whole: a run that was killed halfway leaves nothing that looks finished. */
async function initialise(binaries: string, data: string): Promise<void> {
  if (existsSync(join(data, 'PG_VERSION'))) return;
  const fresh = `${data}.new`;
  await rm(fresh, { recursive: true, force: true });
  const prepared = ownEnvironment()[PREPARED_CLUSTER];
  if (prepared === undefined) await makeCluster(binaries, fresh);
  else await $`cp --archive ${prepared} ${fresh}`.quiet();
  await rename(fresh, data);
}

async function makeCluster(binaries: string, folder: string): Promise<void> {
  const flags = [
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-instructions',
  ];
  const initdb = await $`setpriv ${asUser(postgresUser)} -- ${join(binaries, 'initdb')} -D ${folder} ${flags}`
    .cwd(dirname(folder))
    .quiet()
    .nothrow();
  if (initdb.exitCode !== 0) throw new Error(`initdb failed:\n${initdb.stderr.toString()}`);
}

/**
 * A killed server's pid file names a process that is gone, which PostgreSQL sees by itself; but when another process
 * has that id by now, it would take it for a running server. And a server whose starter was just killed may still be
 * on its way out.
 */
async function clearFormerServer(data: string): Promise<void> {
  const former = await readPostmaster(data);
  if (former === null || !isAlive(former.pid)) return;
  if (!(await runsCluster(former.pid, data))) return rm(join(data, 'postmaster.pid'), { force: true });
  const left = await waitUntilGone([former.pid], FORMER_SERVER_LIMIT_MS);
  if (left.length > 0) throw new Error(`PostgreSQL (process ${former.pid}) already runs on ${data}`);
}

/**
 * PostgreSQL on a loopback port, its data in `dir`. Any local user may connect: it is for tests and trials. With
 * `fsync: false` it waits for no disk, for tests that do not end it.
 */
export async function startPostgres(options: {
  dir: string;
  port?: number;
  fsync?: boolean;
  /** Settings besides. */
  settings?: Record<string, string>;
}): Promise<Server & { url: string; dataFolder: string }> {
  await ensureCommands(['postgres', 'setpriv']);
  const port = options.port ?? (await freePort());
  const folder = await postgresFolder(resolve(options.dir));
  const data = join(folder, 'data');
  const postgres = commandPath('postgres');
  await initialise(dirname(postgres), data);
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    // Sixteen for each process of the services (docs/operations.md, "Scale"), and what tests open besides.
    max_connections: '400',
    fsync: options.fsync === false ? 'off' : 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...options.settings,
  };
  const server = createChildServer({
    name: 'PostgreSQL',
    port,
    command: [
      postgres,
      '-D',
      data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    ...(postgresUser === undefined ? {} : { user: postgresUser }),
    workingDirectory: data,
    logFile: join(folder, 'server.log'),
    prepare: () => clearFormerServer(data),
    isReady: async (pid) => {
      const current = await readPostmaster(data);
      return current?.pid === pid && ['ready', 'standby'].includes(current.status);
    },
    // The "fast" shutdown: connections are closed, committed work is flushed.
    stopSignal: 'SIGINT',
    // The "immediate" shutdown: the postmaster takes its children and its shared memory along.
    parentDeathSignal: 'QUIT',
  });
  await server.start();
  return { ...server, url: `postgres://postgres@127.0.0.1:${port}/postgres`, dataFolder: data };
}
