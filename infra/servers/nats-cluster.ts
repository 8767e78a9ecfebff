import { join } from 'node:path';
import { connect } from 'nats';
import { until } from '../until.ts';
import { keptPorts } from './kept-ports.ts';
import { startNats } from './nats.ts';
import { type ServerGroup, startGroup } from './server-group.ts';

const MEMBERS = 3;

/** Three NATS servers on loopback that are a cluster, each with its streams in a folder of `dir`. */
export async function startNatsCluster({ dir }: { dir: string }): Promise<ServerGroup> {
  const ports = await keptPorts(dir, 2 * MEMBERS);
  const places = Array.from({ length: MEMBERS }, (_, n) => ({
    ...{ name: `nats-${n + 1}`, client: ports[2 * n] ?? 0, route: ports[2 * n + 1] ?? 0 },
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
