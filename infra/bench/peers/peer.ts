import type { Bench } from '../measurement.ts';
import { startEmbedded, startPerch, UNREACHED_LIMITS } from '../perch.ts';

/** Addresses of a published text. */
export interface Addresses {
  /** The address that a person opens; `null` where there is only the text itself. */
  page: string | null;
  raw: string;
}

/** A running service that takes texts. */
export interface Peer {
  name: string;
  /** All processes that it consists of. */
  pids: number[];
  publish(text: string): Promise<Addresses>;
}

/** The answer to a request that creates something. @throws Error when it was refused, or its connection broke */
export async function created(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  if (response.status >= 400) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response;
}

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
  const perch = await startEmbedded(bench, 'embedded', UNREACHED_LIMITS);
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
