import { join } from 'node:path';
import { Redis } from 'ioredis';
import { until } from '../until.ts';
import { freePort } from './port.ts';
import { startRedis } from './redis.ts';
import { type ServerGroup, startGroup } from './server.ts';

const SLOTS = 16_384;
/** A node that is silent for so long is taken for dead, in ms. */
const NODE_TIMEOUT_MS = 2_000;

/**
 * A Redis Cluster on loopback: so many primaries, which share the slots, and so many replicas of each. `members` are the
 * primaries, then the replicas.
 */
export async function startRedisCluster(options: {
  dir: string;
  primaries?: number;
  replicas?: number;
}): Promise<ServerGroup> {
  const { dir, primaries = 3, replicas = 0 } = options;
  const ports = await Promise.all(Array.from({ length: primaries * (1 + replicas) }, pairOfPorts));
  const group = await startGroup(
    ports.map(
      ([port, bus], n) =>
        () =>
          startRedis({
            dir: join(dir, `redis-${n + 1}`),
            port,
            name: `Redis ${port}`,
            settings: [
              ...['--cluster-enabled', 'yes', '--cluster-port', String(bus)],
              ...['--cluster-node-timeout', String(NODE_TIMEOUT_MS), '--cluster-require-full-coverage', 'no'],
            ],
          }),
    ),
  );
  const nodes = ports.map(([port]) => new Redis({ port, lazyConnect: true }));
  try {
    await introduce(nodes, ports, primaries);
  } catch (error) {
    await group.stop();
    throw error;
  } finally {
    for (const node of nodes) node.disconnect();
  }
  return { ...group, url: `redis+cluster://${ports.map(([port]) => `127.0.0.1:${port}`).join(',')}` };
}

const pairOfPorts = async (): Promise<[port: number, bus: number]> => [await freePort(), await freePort()];

/** Introduces them to one another, deals out the slots, and waits until all agree. */
async function introduce(nodes: Redis[], ports: Array<[number, number]>, primaries: number): Promise<void> {
  const [first] = nodes;
  const [[port = 0, bus = 0] = []] = ports;
  if (first === undefined) return;
  await Promise.all(nodes.slice(1).map((node) => node.call('CLUSTER', 'MEET', '127.0.0.1', port, bus)));
  await Promise.all(
    nodes.slice(0, primaries).map((node, n) => {
      const [from, to] = [Math.floor((SLOTS * n) / primaries), Math.floor((SLOTS * (n + 1)) / primaries) - 1];
      return node.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
    }),
  );
  const knowsAll = async (node: Redis): Promise<boolean> =>
    String(await node.call('CLUSTER', 'INFO')).includes(`cluster_known_nodes:${nodes.length}`);
  await until('all nodes know one another', async () =>
    (await Promise.all(nodes.map(knowsAll))).every(Boolean),
  );
  const ids = await Promise.all(nodes.map((node) => node.call('CLUSTER', 'MYID')));
  await Promise.all(
    nodes.slice(primaries).map((node, n) => node.call('CLUSTER', 'REPLICATE', String(ids[n % primaries]))),
  );
  const isWhole = async (node: Redis): Promise<boolean> => {
    const info = String(await node.call('CLUSTER', 'INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_slots_ok:${SLOTS}`);
  };
  const isLinked = async (node: Redis): Promise<boolean> =>
    (await node.info('replication')).includes('master_link_status:up');
  await until('the cluster is whole', async () => {
    const whole = await Promise.all(nodes.map(isWhole));
    const linked = await Promise.all(nodes.slice(primaries).map(isLinked));
    return whole.every(Boolean) && linked.every(Boolean);
  });
}
