import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startServices } from '../distributed.ts';
import { type Servers, startServers } from '../servers/all.ts';
import type { Bench } from './measurement.ts';

/** Never reached, but counted all the same: a limit of 0 would turn the counting off. */
const UNREACHED = '1000000000';

export interface Perch {
  /** Of the one gateway, without a slash at the end. */
  url: string;
  servers: Servers;
}

/** Real servers, one content and one gateway process, all stopped at the end of the measurement. */
export async function startPerch(bench: Bench): Promise<Perch> {
  bench.progress('starting the servers, one content and one gateway process');
  const servers = await startServers({ dir: join(bench.dir, 'servers') });
  bench.defer(servers.stop);
  const env = {
    ...servers.env,
    COOKIE_SECRET: randomBytes(32).toString('base64url'),
    LIMIT_UPLOADS_PER_HOUR: UNREACHED,
    LIMIT_READS_PER_MINUTE: UNREACHED,
    LIMIT_CHANGES_PER_HOUR: UNREACHED,
    LOG_LEVEL: 'info',
  };
  const services = await startServices({ dir: bench.dir, env, gateways: 1, contents: 1 });
  bench.defer(services.stop);
  return { url: services.gateways[0]?.url ?? '', servers };
}

/** Publishes a page and returns its address. */
export async function publish(
  url: string,
  bytes: Uint8Array,
  contentType = 'text/html',
): Promise<{ namespace: string; id: string }> {
  const response = await fetch(`${url}/api/html`, {
    method: 'POST',
    headers: { 'Content-Type': contentType, 'User-Agent': 'perch-bench/1' },
    body: bytes,
    signal: AbortSignal.timeout(15_000),
  });
  if (response.status !== 201)
    throw new Error(`a create answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as { namespace: string; id: string };
}
