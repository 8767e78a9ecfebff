import { join } from 'node:path';
import { answersOk } from './answers.ts';
import { commandPath, ensureCommands } from './debian.ts';
import { keptPorts } from './port.ts';
import { createChildServer, type ServerGroup, startGroup } from './server.ts';

const MEMBERS = 3;

/** Slower than usual: on a busy machine a member that is late is not to be taken for a dead one. In ms. */
const PACE = { heartbeat: 200, election: 2_000 };

/** Three etcd servers on loopback. `url` is the list of `host:port` that Patroni wants. */
export async function startEtcd({ dir }: { dir: string }): Promise<ServerGroup> {
  await ensureCommands(['etcd', 'setpriv']);
  const ports = await keptPorts(dir, 2 * MEMBERS);
  const places = Array.from({ length: MEMBERS }, (_, n) => ({
    name: `etcd-${n + 1}`,
    client: ports[2 * n] ?? 0,
    peer: ports[2 * n + 1] ?? 0,
  }));
  const address = (port: number): string => `http://127.0.0.1:${port}`;
  const cluster = places.map(({ name, peer }) => `${name}=${address(peer)}`).join(',');
  const group = await startGroup(
    places.map(({ name, client, peer }) => async () => {
      const folder = join(dir, name);
      const server = createChildServer({
        name,
        port: client,
        workingDirectory: '/',
        logFile: join(folder, 'server.log'),
        command: [
          commandPath('etcd'),
          ...['--name', name, '--data-dir', join(folder, 'data'), '--logger', 'zap', '--log-level', 'warn'],
          ...['--listen-client-urls', address(client), '--advertise-client-urls', address(client)],
          ...['--listen-peer-urls', address(peer), '--initial-advertise-peer-urls', address(peer)],
          ...['--initial-cluster', cluster, '--initial-cluster-token', 'perch'],
          ...['--heartbeat-interval', String(PACE.heartbeat), '--election-timeout', String(PACE.election)],
        ],
        isReady: () => answersOk(`${address(client)}/health`),
      });
      await server.start();
      return server;
    }),
  );
  return { ...group, url: places.map(({ client }) => `127.0.0.1:${client}`).join(',') };
}
