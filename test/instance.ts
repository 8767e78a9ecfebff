import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'nats';
import { type DistributedOptions, startServices } from '../infra/distributed.ts';
import { NO_SERVERS, ownEnvironment, QUICK_SETTINGS } from '../infra/environment.ts';
import { type Servers, startServers } from '../infra/servers/all.ts';
import { type ServiceProcess, startService } from '../infra/service-process.ts';
import { ACCESS_EVENT_STREAM } from '../shared/wiring/dependencies.ts';
import { lendDatabase } from './made-database.ts';
import { createMigratedDatabase, databaseServer } from './migrated-database.ts';
import { startJoined } from './start-joined.ts';

export type Mode = 'embedded' | 'distributed';

/** A running Perch to test against, from outside. */
export interface Instance {
  mode: Mode;
  /** The first gateway's address, without a slash at the end. */
  url: string;
  /** Every gateway's address: one in embedded mode. */
  gateways: string[];
  /** The processes of Perch itself, to be killed and started by fault tests. */
  services: {
    gateways: ServiceProcess[];
    contents: ServiceProcess[];
    kvs: ServiceProcess[];
    sites: ServiceProcess[];
    analytics: ServiceProcess[];
    embedded: ServiceProcess | null;
  };
  /** The servers of the distributed mode; `null` in embedded mode. */
  servers: Servers | null;
  /** Settings its processes run with, the servers' addresses included. */
  env: Record<string, string>;
  /** The folder of its data and logs and, in embedded mode, DATA_DIR. */
  dir: string;
  /** The log files of its processes. */
  logFiles: string[];
  stop(): Promise<void>;
}

export interface InstanceOptions {
  mode?: Mode;
  /** Settings beside or instead of the test's own (no limits, quick sweeps). */
  env?: Record<string, string>;
  gateways?: number;
  contents?: number;
  kvs?: number;
  sites?: number;
  analytics?: number;
  /**
   * Whether it makes do with few processes, of which no single one can be killed: the services behind the gateways share
   * some (`start-joined.ts`), and an embedded Perch gets a database on a server that others use, too.
   */
  joined?: boolean;
  /** Servers of this instance alone, for tests that stop them. */
  ownServers?: boolean;
  /** A folder for all it keeps, which stays: its own servers' data in `servers`, DATA_DIR being `data`. */
  dir?: string;
  /** Settings of one service's processes, made of those of all: addresses of links that can be broken. */
  envOf?: (env: Record<string, string>) => Promise<DistributedOptions['envOf']>;
}

/** The mode the runner asks for; embedded when a file is run by hand. */
export const modeUnderTest = (): Mode =>
  ownEnvironment().PERCH_TEST_MODE === 'distributed' ? 'distributed' : 'embedded';

/** Starts a Perch with a database, bucket and folder of its own. */
export async function startInstance(options: InstanceOptions = {}): Promise<Instance> {
  const mode = options.mode ?? modeUnderTest();
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'perch-instance-')));
  // The database server runs as a user of its own and must get in.
  await chmod(dir, 0o755);
  const starting = mode === 'embedded' ? startEmbedded(dir, options) : startDistributed(dir, options);
  const removeFolder = async (): Promise<void> => {
    if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
  };
  const instance = await starting.catch(async (error: unknown) => {
    await removeFolder();
    throw error;
  });
  return {
    ...instance,
    async stop() {
      await instance.stop();
      await removeFolder();
    },
  };
}

async function startEmbedded(dir: string, options: InstanceOptions): Promise<Instance> {
  const dataDir = join(dir, 'data');
  const database = options.joined ? await createMigratedDatabase(await databaseServer()) : null;
  // A folder that is given may hold one already, or be given for what a first start does in it.
  if (database === null && options.dir === undefined) await lendDatabase(dataDir);
  const given = database === null ? {} : { PG_URL: database.url };
  const env = { ...QUICK_SETTINGS, ...given, ...options.env, DATA_DIR: dataDir };
  const starting = startService('embedded', { dir, env: { ...NO_SERVERS, ...env } });
  const embedded = await starting.catch(async (error: unknown) => {
    await database?.drop();
    throw error;
  });
  return {
    mode: 'embedded',
    url: embedded.url,
    gateways: [embedded.url],
    servers: null,
    env,
    dir: dataDir,
    services: { gateways: [], contents: [], kvs: [], sites: [], analytics: [], embedded },
    logFiles: [join(dir, 'embedded.log')],
    async stop() {
      await embedded.stop();
      await database?.drop();
    },
  };
}

/** Instances that stand on the servers the environment names: a second one on the same NATS would answer for the first. */
let onGivenServers = 0;

async function startDistributed(dir: string, options: InstanceOptions): Promise<Instance> {
  const isGiven = !options.ownServers && onGivenServers === 0;
  if (isGiven) onGivenServers += 1;
  let isHeld = isGiven;
  const giveBack = (): void => {
    if (isHeld) onGivenServers -= 1;
    isHeld = false;
  };
  const own = options.dir === undefined ? {} : { dir: join(dir, 'servers') };
  const servers = await startServers(isGiven ? { use: ownEnvironment() } : own).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  const stores = await separateStores(servers.env);
  const env: Record<string, string> = {
    ...QUICK_SETTINGS,
    ...servers.env,
    ...stores.env,
    COOKIE_SECRET: randomBytes(32).toString('base64url'),
    UPLOAD_DIR: join(dir, 'uploads'),
    ...options.env,
  };
  const stopServers = async (): Promise<void> => {
    giveBack();
    await stores.drop();
    await servers.stop();
  };
  const {
    gateways: gateway = 1,
    contents: content = 1,
    kvs: kv = 1,
    sites: site = 1,
    analytics = 1,
  } = options;
  const counts = { gateway, content, kv, site, analytics };
  const envOf = (await options.envOf?.(env)) ?? {};
  const starting = options.joined
    ? startJoined({ dir, env, counts })
    : startServices({ dir, env, envOf, counts });
  const services = await starting.catch(async (error: unknown) => {
    await stopServers();
    throw error;
  });
  const { content: contents, kv: kvs, site: sites, analytics: logs, gateway: gateways } = services.processes;
  const urls = gateways.map((process) => process.url);
  return {
    mode: 'distributed',
    url: urls[0] ?? '',
    gateways: urls,
    servers,
    env,
    dir,
    services: {
      gateways: [...gateways],
      contents: [...contents],
      kvs: [...kvs],
      sites: [...sites],
      analytics: [...logs],
      embedded: null,
    },
    logFiles: Array.from(
      new Set([...contents, ...kvs, ...sites, ...logs, ...gateways]),
      ({ logFile }) => logFile,
    ),
    async stop() {
      await services.stop();
      await stopServers();
    },
  };
}

/**
 * A database and a bucket of its own on servers that several tests share, a Redis without another's keys, and a NATS
 * without another's access events.
 */
async function separateStores(env: Record<string, string>) {
  const { name, url, drop } = await createMigratedDatabase(env.PG_URL ?? '');
  const redis = new Bun.RedisClient(env.REDIS_URL ?? '');
  await redis.send('FLUSHDB', []);
  redis.close();
  await dropAccessEvents(env.NATS_URL ?? '');
  return { env: { PG_URL: url, S3_BUCKET: name.replace('_', '-') }, drop };
}

async function dropAccessEvents(natsUrl: string): Promise<void> {
  const connection = await connect({ servers: natsUrl });
  const { streams } = await connection.jetstreamManager();
  await streams.delete(ACCESS_EVENT_STREAM).catch(() => undefined);
  await connection.close();
}
