import { isIPv6 } from 'node:net';
import { join, resolve } from 'node:path';
import { ownEnvironment } from './environment.ts';
import { freePort } from './servers/port.ts';
import { createChildServer, type Server } from './servers/server.ts';

export type ServiceName = 'gateway' | 'content' | 'kv' | 'site' | 'analytics' | 'embedded';

export interface ServiceProcess extends Server {
  port: number;
  /** Where it answers HTTP, without a slash at the end. */
  url: string;
}

export interface ServiceOptions {
  /** Where its log goes. */
  dir: string;
  /** Settings of the new process; all others are inherited from this one. */
  env: Record<string, string | undefined>;
  /** A free one when not given. */
  port?: number;
  /** Where it listens: loopback unless said otherwise. */
  host?: string;
  /** Tells apart several processes of one service. */
  label?: string;
  /** The path that answers 200 once it is ready: `/healthz` unless said otherwise. */
  readyPath?: string;
  /** The file to run instead of the service's own `main.ts`. */
  main?: string;
}

/** Settings of Bun itself, as `npm start` and the image have them: decisions 49 and 50 in `docs/decisions/`. */
export const BUN_SETTINGS = {
  UV_THREADPOOL_SIZE: '16',
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '1000000',
};

/** Settings of Bun's allocator for each process of a cluster, as the image has them: decision 54 in `docs/decisions/`. */
export const ALLOCATOR_SETTINGS = {
  MIMALLOC_ALLOW_THP: '1',
  MIMALLOC_PURGE_DELAY: '1000',
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: '1000',
};

const ROOT = resolve(import.meta.dirname, '..');

/** How long a process may take to end, in ms: what it allows itself, and a little (docs/operations.md, "Start and stop"). */
const STOP_LIMIT_MS = 17_000;

/** Where a process of this machine reaches what listens there. */
export function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::' || host === '[::]') return `http://127.0.0.1:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Starts a process of a service; resolves when it is ready. */
export async function startService(service: ServiceName, options: ServiceOptions): Promise<ServiceProcess> {
  const created = await createService(service, options);
  await created.start();
  return created;
}

/** Creates the process of a service without starting it. The process keeps its port over `kill` and `start`. */
export async function createService(service: ServiceName, options: ServiceOptions): Promise<ServiceProcess> {
  const port = options.port ?? (await freePort());
  const host = options.host ?? '127.0.0.1';
  const url = urlOf(host, port);
  const name = options.label ?? service;
  const logFile = join(options.dir, `${name}.log`);
  const env: ServiceOptions['env'] = {
    ...BUN_SETTINGS,
    ...(service === 'embedded' ? {} : ALLOCATOR_SETTINGS),
    ...ownEnvironment(),
    BASE_URL: url,
    ...options.env,
    PORT: String(port),
    HOST: host,
  };
  const server = createChildServer({
    name,
    command: [process.execPath, options.main ?? join(ROOT, 'services', service, 'main.ts')],
    port,
    logFile,
    workingDirectory: ROOT,
    env,
    stopWithinMs: STOP_LIMIT_MS + Number(env.DRAIN_SECONDS ?? 0) * 1000,
    parentDeathSignal: 'KILL',
    isReady: async () => {
      try {
        return (
          await fetch(`${url}${options.readyPath ?? '/healthz'}`, { signal: AbortSignal.timeout(1_000) })
        ).ok;
      } catch {
        return false;
      }
    },
  });
  return { ...server, port, url };
}
