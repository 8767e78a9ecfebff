import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answersOk } from '../../servers/answers.ts';
import { freePort } from '../../servers/port.ts';
import { createChildServer } from '../../servers/server.ts';
import type { Bench } from '../measurement.ts';
import type { Perch } from '../perch.ts';

/**
 * The floor of a write of a key: two processes that pass it on as Perch does (HTTP, gathering, NATS, group commit, Redis)
 * and do nothing else. No owner, limit, version, view, contract, log entry or metric, and no write that is refused.
 */
export async function startBareChain(bench: Bench, { servers }: Perch): Promise<{ url: string }> {
  const { NATS_URL = '', REDIS_URL = '', PG_URL = '' } = servers.env;
  await startProcess(bench, 'store', import.meta.resolve('./store.ts'), [NATS_URL, REDIS_URL, PG_URL]);
  return await startProcess(bench, 'front', import.meta.resolve('./front.ts'), [NATS_URL]);
}

/**
 * The floor of a create into a folder: one process with the store and the group commit that Perch has, and nothing else. No
 * owner, limit, check, title, repeated create, record in the cache, log entry or metric.
 */
export async function startBarePages(bench: Bench, dir: string, pgUrl: string): Promise<{ url: string }> {
  return await startProcess(bench, 'pages', import.meta.resolve('./pages.ts'), [dir, pgUrl]);
}

/**
 * The floor of a read of a page: one process that gives Perch's answer again, gathers requests as Perch does, counts them with one script
 * in Redis, and writes a line and an entry of the log for each. No look at conditions, hosts, versions, limits or room, no metrics,
 * and nobody takes the entries.
 */
export async function startBareReads(bench: Bench, page: string, { servers }: Perch): Promise<BareServer> {
  const { url, processes } = await startProcess(bench, 'reads', import.meta.resolve('./reads.ts'), [
    page,
    servers.env.REDIS_URL ?? '',
  ]);
  return { url: `${url}${new URL(page).pathname}`, processes };
}

interface BareServer {
  url: string;
  /** The ids of its processes. */
  processes(): number[];
}

/** Starts a script that is given its port first. */
async function startProcess(
  bench: Bench,
  name: string,
  script: string,
  settings: string[],
): Promise<BareServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = createChildServer({
    name: `bare ${name}`,
    port,
    logFile: join(bench.dir, `bare-${name}.log`),
    workingDirectory: import.meta.dirname,
    command: [process.execPath, fileURLToPath(script), String(port), ...settings],
    isReady: () => answersOk(url),
  });
  await server.start();
  bench.defer(server.stop);
  return { url, processes: server.processes };
}
