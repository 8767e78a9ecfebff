import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_SERVERS } from '../../environment.ts';
import { startService } from '../../service-process.ts';
import type { Bench } from '../measurement.ts';
import { startPerch, UNREACHED_LIMITS } from '../perch.ts';
import { created, type Peer } from './peer.ts';

const publishAt =
  (url: string): Peer['publish'] =>
  async (text) => {
    const headers = { 'Content-Type': 'text/plain' };
    const answer = await created(`${url}/api/html?ns=bench`, { method: 'POST', headers, body: text });
    const { namespace, id } = (await answer.json()) as Record<string, string>;
    const page = `${url}/${namespace}/${id}`;
    return { page, raw: `${page}?raw=true` };
  };

/** One process with a PostgreSQL of its own, as `npm start` starts it. */
export async function startEmbeddedPeer(bench: Bench): Promise<Peer> {
  const dir = join(bench.dir, 'embedded');
  await mkdir(dir);
  const env = { ...NO_SERVERS, ...UNREACHED_LIMITS, DATA_DIR: join(dir, 'data') };
  const perch = await startService('embedded', { dir, env, readyPath: '/readyz' });
  bench.defer(perch.stop);
  return { name: 'Perch, embedded', pids: perch.processes(), publish: publishAt(perch.url) };
}

/** One process of each service, on PostgreSQL, Redis, NATS and an S3 server. */
export async function startDistributedPeer(bench: Bench): Promise<Peer> {
  const { url, services, servers } = await startPerch(bench);
  const processes = Object.values(services.processes).flat();
  const stores = [servers.postgres, servers.redis, servers.nats, servers.s3];
  const pids = [...processes, ...stores].flatMap((server) => server?.processes() ?? []);
  return { name: 'Perch, distributed', pids, publish: publishAt(url) };
}
