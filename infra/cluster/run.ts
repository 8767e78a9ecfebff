import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrMakeSecret } from '../../shared/adapters/secret-file.ts';
import { SERVICES, type ServiceCounts, startServices } from '../distributed.ts';
import { startServers } from '../servers/all.ts';
import { openControl } from './control.ts';
import { keepRunning } from './keep-running.ts';
import { createScale } from './scale.ts';
import { readShares } from './shares.ts';
import { statusTable } from './status-table.ts';

interface ClusterOptions {
  dir: string;
  environment: Record<string, string | undefined>;
  counts: ServiceCounts;
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Starts all of it; returns when it runs. A signal then stops it in order and ends the process. */
export async function runCluster(options: ClusterOptions): Promise<void> {
  const running = new AsyncDisposableStack();
  const starting = start(options, running);
  let signalled = false;
  let ending: Promise<void> | null = null;
  /** Disposed of a second time, the stack would not wait for the first. */
  const end = (): Promise<void> => (ending ??= running.disposeAsync());
  /** Once, however often it is asked for; what is still being started is waited for. */
  const stop = async (): Promise<void> => {
    if (signalled) return;
    signalled = true;
    await starting.catch(() => undefined);
    await end();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop());
  try {
    process.stdout.write(await starting);
  } catch (error) {
    await end();
    throw error;
  }
}

/**
 * What is disposed of goes in the opposite order: first no more commands, then gateways, so that what they have taken in is
 * still served, then the other services, then the servers.
 */
async function start(
  { dir, environment, counts }: ClusterOptions,
  running: AsyncDisposableStack,
): Promise<string> {
  await mkdir(dir, { recursive: true });
  const servers = await startServers({ dir: join(dir, 'servers'), use: environment });
  running.defer(() => servers.stop());
  const secret = environment.COOKIE_SECRET ?? (await readOrMakeSecret(join(dir, 'cookie-secret')));
  const firstPort = Number(environment.PORT ?? 8080);
  const baseUrl = environment.BASE_URL ?? `http://localhost:${firstPort}`;
  const uploads = environment.UPLOAD_DIR ?? join(dir, 'uploads');
  const services = await startServices({
    ...{ dir, counts },
    env: { ...servers.env, COOKIE_SECRET: secret, BASE_URL: baseUrl, UPLOAD_DIR: uploads },
    firstGateway: { port: firstPort, host: environment.HOST ?? '0.0.0.0' },
    each: (process) => keepRunning(process, { say }),
  });
  running.defer(() => services.stop());
  const { scale, settled } = createScale(services, say);
  running.defer(settled);
  const status = async (): Promise<string> => statusTable(await readShares(services));
  const control = await openControl(dir, {
    status,
    async scale(wanted) {
      await scale(wanted);
      return await status();
    },
  });
  running.defer(() => control.close());

  const started = SERVICES.flatMap((service) => services.processes[service]);
  const lines = started.map((service) => `  ${service.name.padEnd(11)} ${service.url}`);
  return `Perch is ready on ${baseUrl}: ${started.length} service processes, data in ${dir}\n${lines.join('\n')}\n`;
}
