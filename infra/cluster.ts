import { dirname, join, resolve } from 'node:path';
import { lockFolder } from '../shared/adapters/data-dir/folder-lock.ts';
import { readOrMakeSecret } from '../shared/adapters/data-dir/private-files.ts';
import { askControl, type Command, openControl, readCommand } from './cluster/control.ts';
import { keepRunning } from './cluster/keep-running.ts';
import { migrateFirst } from './cluster/migrate-first.ts';
import { readSettings } from './cluster/settings.ts';
import { readShares, statusTable } from './cluster/status.ts';
import { orEnd } from './command-line.ts';
import { type Distributed, SERVICES, type ServiceCounts, startServices } from './distributed.ts';
import { ownEnvironment } from './environment.ts';
import { type ServerSettings, startServers } from './servers/all.ts';
import { startHaServers } from './servers/ha.ts';
import { requireFreePort } from './servers/port.ts';
import type { Server } from './servers/server.ts';
import { urlOf } from './service-process.ts';

interface ClusterOptions {
  dir: string;
  environment: Record<string, string | undefined>;
  counts: ServiceCounts;
  /** Servers of which any one may die. */
  isHa: boolean;
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Starts all of it; returns when it runs. A signal then stops it in order and ends the process. */
async function runCluster(options: ClusterOptions): Promise<void> {
  const running = new AsyncDisposableStack();
  const stopping = new AbortController();
  const starting = start(options, running, stopping.signal);
  let signalled = false;
  let ending: Promise<void> | null = null;
  /** Disposed of a second time, the stack would not wait for the first. */
  const end = (): Promise<void> => (ending ??= running.disposeAsync());
  /** Once, however often it is asked for; what is still being started is waited for, migrations alone are not. */
  const stop = async (): Promise<void> => {
    if (signalled) return;
    signalled = true;
    stopping.abort();
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
 * Starts a cluster. Disposal runs in reverse: first the commands end, then the gateways, so that requests under way are
 * still served, then the other services, then the servers.
 */
async function start(
  { dir, environment, counts, isHa }: ClusterOptions,
  running: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<string> {
  const settings = readSettings(environment, dir);
  const { port, host, baseUrl, cookieSecret } = settings.config;
  // Two would write to the same files, and the second would take the socket of the first.
  const lock = lockFolder(dir);
  running.defer(() => lock.release());
  // Listeners of one port do not mind one another: another Perch would get a part of the requests.
  await requireFreePort(port, host);
  const servers = isHa ? await startAllTwice(dir, settings.servers) : await startOnce(dir, settings.servers);
  running.defer(() => servers.stop());
  const kept = servers.own.map((server) => keepRunning(server, { say }));
  running.defer(async () => void (await Promise.all(kept.map((server) => server.stop()))));
  const secret = cookieSecret ?? (await readOrMakeSecret(join(dir, 'cookie-secret')));
  await migrateFirst(servers.env.PG_URL ?? '', { say, signal });
  const services = await startServices({
    dir,
    counts,
    env: { ...settings.env, ...servers.env, COOKIE_SECRET: secret },
    gateways: { sharedPort: port, host },
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
  const lines = [
    ...started.map((service) => `  ${service.name.padEnd(11)} ${service.url}`),
    ...servers.own.flatMap((server) => keptElsewhere(server, dir)),
  ];
  const address = baseUrl ?? urlOf(host, port);
  return `Perch is ready on ${address}: ${started.length} service processes, data in ${dir}\n${lines.join('\n')}\n`;
}

/** A line that names the folder of a server that cannot have its data below `dir`. */
function keptElsewhere({ name, logFile }: Server, dir: string): string[] {
  const folder = dirname(logFile);
  return folder.startsWith(`${dir}/`) ? [] : [`  ${name.padEnd(11)} has its data in ${folder}`];
}

interface OwnServers {
  env: Record<string, string>;
  /** The servers that were started here. */
  own: Server[];
  stop(): Promise<void>;
}

async function startOnce(dir: string, use: ServerSettings): Promise<OwnServers> {
  const { env, stop, postgres, redis, nats, s3 } = await startServers({ dir: join(dir, 'servers'), use });
  return { env, stop, own: [postgres, redis, nats, s3].filter((server) => server !== null) };
}

async function startAllTwice(dir: string, use: ServerSettings): Promise<OwnServers> {
  const given = (['PG_URL', 'REDIS_URL', 'NATS_URL', 'S3_ENDPOINT'] as const).filter(
    (name) => use[name] !== '',
  );
  if (given.length > 0) throw new Error(`--ha starts all servers itself: take away ${given.join(', ')}`);
  const { env, members, stop } = await startHaServers({ dir: join(dir, 'ha-servers') });
  return { env, stop, own: Object.values(members) };
}

/** Starts or stops processes until there are so many of each service that is named; one change at a time. */
function createScale(
  { processes, add, remove }: Pick<Distributed, 'processes' | 'add' | 'remove'>,
  say: (line: string) => void,
): { scale(counts: Partial<ServiceCounts>): Promise<void>; settled(): Promise<void> } {
  let last: Promise<void> = Promise.resolve();
  let closed = false;

  const change = async (counts: Partial<ServiceCounts>): Promise<void> => {
    for (const service of SERVICES) {
      const members = processes[service];
      const wanted = counts[service] ?? members.length;
      while (members.length < wanted && !closed) {
        await add(service);
        say(`${members.at(-1)?.name} has joined`);
      }
      while (members.length > wanted && !closed) {
        const name = members.at(-1)?.name;
        await remove(service);
        say(`${name} has left`);
      }
    }
  };
  return {
    async scale(counts) {
      const mine = last.then(() => change(counts));
      last = mine.catch(() => undefined);
      await mine;
    },
    /** Begins no more changes, and waits for the one under way. */
    async settled() {
      closed = true;
      await last;
    },
  };
}

/**
 * The distributed mode on one machine without containers: real servers on free ports, and each service in processes
 * of its own. Data stays in `<DATA_DIR>/cluster` over restarts. Servers that the environment names are used instead.
 * With `--ha` each of its own servers but S3 is there several times, and any one may die (docs/availability.md).
 * `status` and `scale --content 3` speak to the cluster that runs on that folder.
 */
const environment = ownEnvironment();
const dir = join(resolve(environment.DATA_DIR?.trim() || './data'), 'cluster');

async function perform(command: Command): Promise<void> {
  if (command.do === 'run')
    await runCluster({ dir, environment, counts: command.counts, isHa: command.isHa });
  else process.stdout.write(await askControl(dir, command.do === 'scale' ? command.counts : undefined));
}

await orEnd((async () => perform(readCommand(process.argv.slice(2))))());
