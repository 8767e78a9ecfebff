import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Distributed, startServices } from '../distributed.ts';
import { NO_SERVERS } from '../environment.ts';
import { send } from '../load/send.ts';
import { type Servers, startServers } from '../servers/all.ts';
import { createService, type ServiceProcess } from '../service-process.ts';
import type { Bench } from './measurement.ts';

/** Never reached, but counted all the same: a limit of 0 would turn the counting off. */
const UNREACHED = '1000000000';
export const UNREACHED_LIMITS = {
  LIMIT_UPLOADS_PER_HOUR: UNREACHED,
  LIMIT_READS_PER_MINUTE: UNREACHED,
  LIMIT_CHANGES_PER_HOUR: UNREACHED,
};

/** A quarter of a machine of 8 GB, as docs/compose.md advises for a million items: PostgreSQL's own 128 MB are for the smallest machines. */
const POSTGRES_SETTINGS = { shared_buffers: '2GB' };

export interface Perch {
  /** Address of the one gateway, without a slash at the end. */
  url: string;
  servers: Servers;
  services: Distributed;
}

/**
 * Real servers, one process of each service, all stopped at the end of the measurement. `settings` are beside its own.
 * @param sharedPort of all gateways together, where there will be several
 */
export async function startPerch(
  bench: Pick<Bench, 'dir' | 'defer' | 'progress'>,
  settings: Record<string, string> = {},
  sharedPort: number | null = null,
): Promise<Perch> {
  bench.progress('starting the servers, one process of each service');
  const servers = await startServers({
    dir: join(bench.dir, 'servers'),
    postgresSettings: POSTGRES_SETTINGS,
  });
  bench.defer(servers.stop);
  const env = {
    ...servers.env,
    COOKIE_SECRET: randomBytes(32).toString('base64url'),
    ...UNREACHED_LIMITS,
    LOG_LEVEL: 'info',
    ...settings,
  };
  const services = await startServices({
    dir: bench.dir,
    env,
    counts: { gateway: 1, content: 1, kv: 1, site: 1, analytics: 1 },
    ...(sharedPort === null ? {} : { gateways: { sharedPort, host: '127.0.0.1' } }),
  });
  bench.defer(services.stop);
  return { url: services.processes.gateway[0]?.url ?? '', servers, services };
}

/** Publishes a page and returns its address. */
export const publish = (url: string, bytes: Uint8Array, contentType = 'text/html') =>
  ask(`${url}/api/html?ns=bench`, {
    method: 'POST',
    headers: { 'Content-Type': contentType },
    body: bytes,
  });

/** A site of 1 GB takes its time, in ms. */
const ASK_LIMIT_MS = 300_000;

/** A request to the API that must succeed. Its answer, as JSON. */
export async function ask(url: string, init: RequestInit): Promise<Record<string, string>> {
  const seen = await send(url, init, ASK_LIMIT_MS);
  if (!seen.answered) throw new Error(`${url} did not answer: ${seen.reason}`);
  if (seen.status > 299) throw new Error(`${url} answered ${seen.status}: ${seen.text}`);
  return JSON.parse(seen.text) as Record<string, string>;
}

/** The embedded mode as `npm start` starts it, without npm; not started yet. Its start resolves when it is ready. */
export const embeddedAt = (
  dataDir: string,
  logDir: string,
  settings: Record<string, string> = {},
): Promise<ServiceProcess> =>
  createService('embedded', {
    dir: logDir,
    readyPath: '/readyz',
    env: { ...NO_SERVERS, DATA_DIR: dataDir, LIMIT_UPLOADS_PER_HOUR: '1000', ...settings },
  });

/** An embedded Perch that runs in a folder of its own, until the end of the measurement. */
export async function startEmbedded(
  bench: Pick<Bench, 'dir' | 'defer'>,
  name: string,
  settings: Record<string, string>,
): Promise<ServiceProcess> {
  const dir = join(bench.dir, name);
  await mkdir(dir);
  const perch = await embeddedAt(join(dir, 'data'), dir, settings);
  await perch.start();
  bench.defer(perch.stop);
  return perch;
}

/** The process id of a running embedded Perch. */
export function pidOf(embedded: ServiceProcess): number {
  const [pid] = embedded.processes();
  if (pid === undefined) throw new Error('the embedded mode does not run');
  return pid;
}
