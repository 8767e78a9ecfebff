import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readOrMakeSecret } from '../shared/adapters/secret-file.ts';
import { type Distributed, SERVICES, type ServiceCounts, startServices } from './distributed.ts';
import { ownEnvironment } from './environment.ts';
import { orEnd } from './or-end.ts';
import { startServers } from './servers/all.ts';
import type { ServiceProcess } from './service-process.ts';

/**
 * The distributed mode on one machine without containers: real servers on free ports, and each service in processes
 * of its own. Data stays in `<DATA_DIR>/cluster` over restarts. Servers that the environment names are used instead.
 */
const number = { type: 'string', default: '1' } as const;
const { values } = parseArgs({
  options: { gateway: number, content: number, kv: number, site: number, analytics: number },
});
const counts: ServiceCounts = {
  gateway: count('gateway', values.gateway),
  content: count('content', values.content),
  kv: count('kv', values.kv),
  site: count('site', values.site),
  analytics: count('analytics', values.analytics),
};

const environment = ownEnvironment();
const dir = resolve(environment.DATA_DIR ?? './data', 'cluster');
await mkdir(dir, { recursive: true });
const servers = await orEnd(startServers({ dir: join(dir, 'servers'), use: environment }));
let services: Distributed | null = null;
const watch = setInterval(() => void restartDead(), 500);
let restarting = false;
let stopping: Promise<void> | null = null;
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop());

try {
  const secret = environment.COOKIE_SECRET ?? (await readOrMakeSecret(join(dir, 'cookie-secret')));
  const firstPort = Number(environment.PORT ?? 8080);
  const baseUrl = environment.BASE_URL ?? `http://localhost:${firstPort}`;
  const uploads = environment.UPLOAD_DIR ?? join(dir, 'uploads');
  const env = { ...servers.env, COOKIE_SECRET: secret, BASE_URL: baseUrl, UPLOAD_DIR: uploads };
  const firstGateway = { port: firstPort, host: environment.HOST ?? '0.0.0.0' };
  services = await startServices({ dir, env, counts, firstGateway });
  const started = processesOf(services);
  const lines = started.map((service) => `  ${service.name.padEnd(10)} ${service.url}`);
  process.stdout.write(
    `Perch is ready on ${baseUrl}: ${started.length} service processes, data in ${dir}\n${lines.join('\n')}\n`,
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  await stop(1);
}

/** A service that died is started again; the others carry on meanwhile. */
async function restartDead(): Promise<void> {
  if (restarting || services === null) return;
  restarting = true;
  const dead = processesOf(services).filter((candidate) => candidate.processes().length === 0);
  for (const service of dead) {
    process.stderr.write(`${service.name} has ended; starting it again\n`);
    await service.start().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
  }
  restarting = false;
}

/** Once, however often it is asked for. */
function stop(exitCode = 0): Promise<void> {
  stopping ??= stopAll(exitCode);
  return stopping;
}

/** Gateways first, so that what they have taken in is still served; then the services, then the servers. */
async function stopAll(exitCode: number): Promise<void> {
  clearInterval(watch);
  await services?.stop();
  await servers.stop();
  process.exit(exitCode);
}

function processesOf({ processes }: Distributed): ServiceProcess[] {
  return SERVICES.flatMap((service) => processes[service]);
}

function count(service: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 16) return number;
  process.stderr.write(`--${service} wants a number from 1 to 16, not ${text}\n`);
  process.exit(1);
}
