import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readOrMakeSecret } from '../shared/adapters/secret-file.ts';
import { ownEnvironment } from './environment.ts';
import { orEnd } from './or-end.ts';
import { startServers } from './servers/all.ts';
import { type ServiceProcess, startService } from './service-process.ts';

/**
 * The distributed mode on one machine without containers: real servers on free ports, and each service in processes
 * of its own. Data stays in `<DATA_DIR>/cluster` over restarts. Servers that the environment names are used instead.
 */
const { values } = parseArgs({
  options: { gateway: { type: 'string', default: '1' }, content: { type: 'string', default: '1' } },
});
const counts = { gateway: count('gateway', values.gateway), content: count('content', values.content) };

const environment = ownEnvironment();
const dir = resolve(environment.DATA_DIR ?? './data', 'cluster');
await mkdir(dir, { recursive: true });
const servers = await orEnd(startServers({ dir: join(dir, 'servers'), use: environment }));
const services: ServiceProcess[] = [];
const watch = setInterval(() => void restartDead(), 500);
let restarting = false;
let stopping: Promise<void> | null = null;
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop());

try {
  const secret = environment.COOKIE_SECRET ?? (await readOrMakeSecret(join(dir, 'cookie-secret')));
  const firstPort = Number(environment.PORT ?? 8080);
  const baseUrl = environment.BASE_URL ?? `http://localhost:${firstPort}`;
  const env = { ...servers.env, COOKIE_SECRET: secret, BASE_URL: baseUrl };
  for (let n = 1; n <= counts.content; n++) {
    services.push(await startService('content', { dir, env, label: `content-${n}` }));
  }
  for (let n = 1; n <= counts.gateway; n++) {
    const own = n === 1 ? { port: firstPort, host: environment.HOST ?? '0.0.0.0' } : {};
    services.push(await startService('gateway', { dir, env, label: `gateway-${n}`, ...own }));
  }
  const lines = services.map((service) => `  ${service.name.padEnd(10)} ${service.url}`);
  process.stdout.write(
    `Perch is ready on ${baseUrl}: ${services.length} service processes, data in ${dir}\n${lines.join('\n')}\n`,
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  await stop(1);
}

/** A service that died is started again; the others carry on meanwhile. */
async function restartDead(): Promise<void> {
  if (restarting) return;
  restarting = true;
  for (const service of services.filter((candidate) => candidate.processes().length === 0)) {
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
  for (const service of services.splice(0).reverse()) await service.stop();
  await servers.stop();
  process.exit(exitCode);
}

function count(service: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 16) return number;
  process.stderr.write(`--${service} wants a number from 1 to 16, not ${text}\n`);
  process.exit(1);
}
