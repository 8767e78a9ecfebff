import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'nats';
import { until } from '../until.ts';
import { tcpAnswer } from './answers.ts';
import { commandPath, ensureCommands } from './debian.ts';
import { freePort, keptPorts } from './port.ts';
import { createChildServer, type Server, type ServerGroup, startGroup } from './server.ts';

const CONFIG = join(import.meta.dirname, '../nats.conf');
const CONFIG_WITH_USERS = join(import.meta.dirname, '../nats-users.conf');

/**
 * NATS with JetStream and `infra/nats.conf` on a loopback port, its streams in `dir`. With `passwords`, the variables that
 * `infra/nats-users.conf` reads, it has the users of that file and lets nobody else in.
 */
export async function startNats(options: {
  dir: string;
  port?: number;
  passwords?: Record<string, string>;
  /** Makes it one of a cluster: its name there, and the ports on which its members speak to one another. */
  member?: { name: string; port: number; others: number[] };
}): Promise<Server & { url: string }> {
  await ensureCommands(['nats-server', 'setpriv']);
  const { dir, port = await freePort(), passwords, member } = options;
  const config = passwords === undefined ? CONFIG : CONFIG_WITH_USERS;
  await mkdir(dir, { recursive: true });
  const server = createChildServer({
    name: member === undefined ? 'NATS' : `NATS ${member.name}`,
    port,
    command: [
      commandPath('nats-server'),
      ...['-c', config, '-a', '127.0.0.1', '-p', String(port), '-sd', dir],
      ...(member === undefined ? [] : memberFlags(member)),
    ],
    ...(passwords === undefined ? {} : { env: passwords }),
    workingDirectory: dir,
    logFile: join(dir, 'server.log'),
    // The server greets first; it accepts clients only once JetStream has read its streams back.
    isReady: async () => (await tcpAnswer(port, ''))?.startsWith('INFO') ?? false,
  });
  await server.start();
  return { ...server, url: `nats://127.0.0.1:${port}` };
}

function memberFlags({ name, port, others }: { name: string; port: number; others: number[] }): string[] {
  const route = (of: number): string => `nats://127.0.0.1:${of}`;
  return [
    ...['--name', name, '--cluster_name', 'perch', '--cluster', route(port)],
    ...['--routes', others.map(route).join(',')],
  ];
}

const MEMBERS = 3;

/** Three NATS servers on loopback that are a cluster, each with its streams in a folder of `dir`. */
export async function startNatsCluster({ dir }: { dir: string }): Promise<ServerGroup> {
  const ports = await keptPorts(dir, 2 * MEMBERS);
  const places = Array.from({ length: MEMBERS }, (_, n) => ({
    name: `nats-${n + 1}`,
    client: ports[2 * n] ?? 0,
    route: ports[2 * n + 1] ?? 0,
  }));
  const group = await startGroup(
    places.map(({ name, client, route }) => () => {
      const others = places.filter((other) => other.name !== name).map((other) => other.route);
      return startNats({ dir: join(dir, name), port: client, member: { name, port: route, others } });
    }),
  );
  const url = places.map(({ client }) => `nats://127.0.0.1:${client}`).join(',');
  await until('the NATS servers have a leader', () => hasLeader(url));
  return { ...group, url };
}

/** Streams can be made from then on. */
async function hasLeader(url: string): Promise<boolean> {
  const connection = await connect({ servers: url.split(','), timeout: 1_000 }).catch(() => null);
  if (connection === null) return false;
  try {
    await (await connection.jetstreamManager({ timeout: 1_000 })).getAccountInfo();
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}
