import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Distributed, SERVICES, type ServiceCounts, startServices } from '../distributed.ts';
import { QUICK_SETTINGS } from '../environment.ts';
import { type Servers, startServers } from '../servers/all.ts';
import { type HaServers, startHaServers } from '../servers/ha.ts';
import {
  type Component,
  linkComponent,
  processComponent,
  redundantComponents,
  rendererComponent,
} from './components.ts';
import { type Links, startLinks } from './links.ts';

/** A Perch with servers of its own, each of its parts to be hit alone. */
export interface Cluster {
  gateways: string[];
  /** By name: `kv`, `redis`, `kv-redis`. */
  components: Component[];
  /** Settings for code that bypasses the services: the addresses of the servers, and the folder of uploads. */
  env: Record<string, string>;
  /** The folder of its logs. */
  dir: string;
  stop(options: { keepLogs: boolean }): Promise<void>;
}

/**
 * Longer than any upload takes here: one that still becomes an item must not be swept before. With much less of it every
 * process would throw away most of the keys it has reserved.
 */
const BLOB_GRACE_SECONDS = '60';

/** @param isHa with servers of which any one may die, and no links to break */
export async function startCluster(counts: ServiceCounts, isHa = false): Promise<Cluster> {
  const dir = await mkdtemp(join(tmpdir(), 'perch-faults-'));
  // The database server runs as a user of its own and must get in.
  await chmod(dir, 0o755);
  let servers: Servers | HaServers | null = null;
  let links: Links | null = null;
  let services: Distributed | null = null;
  const stop = async ({ keepLogs }: { keepLogs: boolean }): Promise<void> => {
    const failures: unknown[] = [];
    // A part that does not stop must not keep the others running.
    for (const part of [services, links, servers]) {
      await part?.stop().catch((error: unknown) => failures.push(error));
    }
    if (!keepLogs) await rm(dir, { recursive: true, force: true });
    if (failures.length > 0) throw failures[0];
  };
  try {
    const single = isHa ? null : await startServers();
    const several = isHa ? await startHaServers({ dir: join(dir, 'servers') }) : null;
    servers = single ?? several;
    if (single !== null) links = await startLinks(single.env);
    const env = {
      ...QUICK_SETTINGS,
      ...servers?.env,
      LOG_LEVEL: 'warn',
      BLOB_GRACE_SECONDS,
      RENDER_WORKERS: '1',
      COOKIE_SECRET: randomBytes(32).toString('base64url'),
      UPLOAD_DIR: join(dir, 'uploads'),
    };
    services = await startServices({ dir, env, ...(links === null ? {} : { envOf: links.envOf }), counts });
    const { processes } = services;
    const ofServers = Object.entries({
      nats: single?.nats,
      redis: single?.redis,
      postgres: single?.postgres,
      s3: single?.s3,
    }).flatMap(([name, server]) => (server ? [processComponent(name, [server])] : []));
    const gateways = processes.gateway.map(({ url }) => url);
    return {
      gateways,
      components: [
        ...SERVICES.map((service) => processComponent(service, processes[service])),
        ...ofServers,
        rendererComponent(gateways),
        ...(links?.proxies.map(linkComponent) ?? []),
        ...(several === null ? [] : redundantComponents(several)),
      ],
      env,
      dir,
      stop,
    };
  } catch (error) {
    await stop({ keepLogs: false });
    throw error;
  }
}
