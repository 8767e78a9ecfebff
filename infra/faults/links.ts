import { type DistributedService, SERVICES } from '../distributed.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export type LinkedServer = 'postgres' | 'redis' | 'nats' | 's3';

export interface Link {
  service: DistributedService;
  server: LinkedServer;
  proxy: TcpProxy;
}

export interface Links {
  /** The servers' addresses as each service is to use them: for `startServices`. */
  envOf: Partial<Record<DistributedService, Record<string, string>>>;
  proxies: Link[];
  stop(): Promise<void>;
}

/** Where the settings say a server is, and the port that is meant when they name none. */
const ADDRESSES = {
  postgres: { variable: 'PG_URL', defaultPort: 5432 },
  redis: { variable: 'REDIS_URL', defaultPort: 6379 },
  nats: { variable: 'NATS_URL', defaultPort: 4222 },
  s3: { variable: 'S3_ENDPOINT', defaultPort: 80 },
} as const satisfies Record<LinkedServer, { variable: string; defaultPort: number }>;

const SERVERS = Object.keys(ADDRESSES) as LinkedServer[];

/**
 * A proxy between each service and each server it uses, so that one link can be broken alone. `env` holds the servers'
 * own addresses. Several processes of one service share its links.
 */
export async function startLinks(env: Record<string, string>): Promise<Links> {
  const pairs = SERVICES.flatMap((service) =>
    SERVERS.filter((server) => service !== 'gateway' || server !== 'postgres').map((server) => ({
      service,
      server,
    })),
  );
  const envOf: Links['envOf'] = {};
  const proxies: Link[] = [];
  for (const { service, server } of pairs) {
    const { variable, defaultPort } = ADDRESSES[server];
    const address = new URL(env[variable] ?? '');
    const target = { host: address.hostname, port: Number(address.port) || defaultPort };
    const proxy = await startTcpProxy({ name: `${service}-${server}`, target });
    proxies.push({ service, server, proxy });
    envOf[service] = { ...envOf[service], [variable]: withAddress(address, proxy.port) };
  }
  return {
    envOf,
    proxies,
    async stop() {
      await Promise.all(proxies.map(({ proxy }) => proxy.stop()));
    },
  };
}

function withAddress(address: URL, port: number): string {
  const proxied = new URL(address);
  proxied.hostname = '127.0.0.1';
  proxied.port = String(port);
  return proxied.href;
}
