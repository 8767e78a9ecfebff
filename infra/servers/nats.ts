import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commandPath, ensureCommands } from './debian.ts';
import { freePort } from './port.ts';
import { createChildServer, type Server } from './server.ts';
import { tcpAnswer } from './tcp-answer.ts';

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
