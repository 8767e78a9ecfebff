import { realpathSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { $ } from 'bun';
import { until } from '../until.ts';
import { answersOk } from './answers.ts';
import { commandPath, ensureCommands } from './debian.ts';
import { startEtcd } from './etcd.ts';
import { keptPorts } from './port.ts';
import { postgresFolder, postgresUser } from './postgres-folder.ts';
import { signalAll } from './process-tree.ts';
import { asUser, createChildServer, type Server, type ServerGroup, startGroup } from './server.ts';

const MEMBERS = 2;
/** The first one makes a database, the other copies it; later it may have to be rewound. */
const READY_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 15_000;

interface PatroniGroup extends ServerGroup {
  /** The servers that hold the lease of the primary. */
  etcd: Server[];
  /** The place of the primary in `members`; -1 while there is none. */
  primary(): Promise<number>;
  /** Whether the standby has every acknowledged commit, and may take over. */
  isSynchronous(): Promise<boolean>;
}

/**
 * PostgreSQL twice on loopback, each under a Patroni of its own, which make one the primary and the other its synchronous
 * standby, and three etcd servers for their lease. `members` are Patroni and PostgreSQL together: one machine, so to say.
 */
export async function startPatroni(options: { dir: string; fsync?: boolean }): Promise<PatroniGroup> {
  const { dir, fsync = true } = options;
  await ensureCommands(['postgres', 'patroni', 'setpriv', 'unshare']);
  const etcd = await startEtcd({ dir: join(dir, 'etcd') });
  try {
    const ports = await keptPorts(dir, 2 * MEMBERS);
    const places = await Promise.all(
      Array.from({ length: MEMBERS }, async (_, n): Promise<PatroniMember> => {
        const name = `postgres-${n + 1}`;
        const folder = await postgresFolder(resolve(dir, name));
        return { name, folder, port: ports[2 * n] ?? 0, restPort: ports[2 * n + 1] ?? 0 };
      }),
    );
    const members = await startGroup(
      places.map((place) => () => startMember(place, { etcd: etcd.url, fsync })),
    );
    const says = ({ restPort }: PatroniMember, what: string): Promise<boolean> =>
      answersOk(`http://127.0.0.1:${restPort}/${what}`);
    const primary = async (): Promise<number> => {
      const are = await Promise.all(places.map((place) => says(place, 'primary')));
      return are.indexOf(true);
    };
    const isSynchronous = async (): Promise<boolean> => {
      const are = await Promise.all(places.map((place) => says(place, 'synchronous')));
      return are.includes(true) && (await primary()) >= 0;
    };
    const stop = async (): Promise<void> => {
      await members.stop();
      await etcd.stop();
    };
    try {
      await until('PostgreSQL has a synchronous standby', isSynchronous, READY_LIMIT_MS);
    } catch (error) {
      await stop();
      throw error;
    }
    const hosts = places.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return {
      url: `postgres://postgres@${hosts}/postgres?target_session_attrs=primary`,
      members: members.members,
      etcd: etcd.members,
      primary,
      isSynchronous,
      stop,
    };
  } catch (error) {
    await etcd.stop();
    throw error;
  }
}

async function startMember(
  member: PatroniMember,
  { etcd, fsync }: { etcd: string; fsync: boolean },
): Promise<Server> {
  const { name, folder, port, restPort } = member;
  const binaries = dirname(realpathSync(commandPath('postgres')));
  const config = join(folder, 'patroni.json');
  await mkdir(folder, { recursive: true });
  await writeFile(config, patroniConfig(member, { etcd, binaries, fsync }));
  if (postgresUser !== undefined) await $`chown ${postgresUser}: ${config}`.quiet();
  const server = createChildServer({
    name,
    port,
    workingDirectory: folder,
    logFile: join(folder, 'server.log'),
    command: [...apart(), commandPath('patroni'), config],
    isReady: () => answersOk(`http://127.0.0.1:${restPort}/health`),
    readyWithinMs: READY_LIMIT_MS,
  });
  await server.start();
  return {
    ...server,
    /** `unshare` takes no signal for what it has started: that is asked itself, and PostgreSQL ends in order. */
    async stop() {
      const [, patroni] = server.processes();
      if (patroni !== undefined) signalAll([patroni], 'SIGTERM');
      const deadline = Date.now() + STOP_LIMIT_MS;
      while (server.isRunning() && Date.now() < deadline) await Bun.sleep(50);
      await server.stop();
    },
  };
}

/**
 * The command that gives Patroni a PID namespace: PostgreSQL, as Patroni starts it, would outlive Patroni, but the kernel ends
 * all processes of a namespace with its first one. Without root this needs user namespaces.
 */
function apart(): string[] {
  const alone = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
  if (postgresUser === undefined) return [...alone, '--user', '--map-current-user', '--'];
  return [...alone, '--', 'setpriv', ...asUser(postgresUser), '--pdeathsig', 'KILL', '--'];
}

/** A member of a Patroni cluster on loopback. */
interface PatroniMember {
  name: string;
  /** Port of PostgreSQL, and of Patroni's own interface. */
  port: number;
  restPort: number;
  /** Its folder: settings, and PostgreSQL's data below it. */
  folder: string;
}

/**
 * The holder of the lease in etcd is the primary. A primary that fails to renew it in `ttl` seconds becomes a standby by
 * itself, before another one may take the lease: `loop_wait + 2 × retry_timeout` is less than `ttl`. Patroni 3.2 and later allow no `ttl` below 20.
 */
const LEASE = { ttl: 8, loop_wait: 1, retry_timeout: 3 } as const;

/**
 * Patroni's settings; JSON is YAML, too. With `synchronous_mode` a commit waits for the standby, and only a standby that has
 * every acknowledged commit is promoted. Without a standby the primary goes on alone.
 */
function patroniConfig(
  member: PatroniMember,
  { etcd, binaries, fsync }: { etcd: string; binaries: string; fsync: boolean },
): string {
  const { name, port, restPort, folder } = member;
  const address = `127.0.0.1:${port}`;
  const trusted = ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'];
  return JSON.stringify({
    scope: 'perch',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { hosts: etcd },
    bootstrap: {
      dcs: {
        ...LEASE,
        // A primary that has ended is not started again where it was: a standby is there already.
        primary_start_timeout: 0,
        synchronous_mode: true,
        maximum_lag_on_failover: 0,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: {
            max_connections: 400,
            wal_log_hints: 'on',
            fsync: fsync ? 'on' : 'off',
            timezone: 'UTC',
            log_timezone: 'UTC',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, { auth: 'trust' }, { username: 'postgres' }],
      pg_hba: trusted,
    },
    postgresql: {
      listen: address,
      connect_address: address,
      bin_dir: binaries,
      data_dir: `${folder}/data`,
      pg_hba: trusted,
      pgpass: `${folder}/pgpass`,
      parameters: { unix_socket_directories: '' },
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'postgres' } },
    },
  });
}
