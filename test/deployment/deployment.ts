import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Redis } from 'ioredis';
import { type Servers, startServers } from '../../infra/servers/all.ts';
import { commandPath, ensureCommands } from '../../infra/servers/debian.ts';
import { startNats } from '../../infra/servers/nats.ts';
import { freePort } from '../../infra/servers/port.ts';
import { createChildServer, type Server } from '../../infra/servers/server.ts';
import { SECRET_SETTINGS } from '../../shared/secret-files.ts';
import { oncePerRun } from '../started.ts';
import { type BuiltImage, builtImage } from './built-image.ts';
import { PROJECT, readComposeFile, serviceOf } from './compose-file.ts';
import { startNameServer } from './name-server.ts';
import { makeDatabaseRole, makeSecrets, withSecretsIn } from './secrets-folder.ts';

/**
 * The deployment of docker-compose.yml without containers: the image's processes behind Caddy, on real servers with the
 * rights of those in the compose file. Only the S3 key is not limited to one bucket.
 */
export interface Deployment {
  /** The proxy's address. */
  url: string;
  /** The port of every gateway; they differ in their addresses, as containers do. */
  gatewayPort: number;
  /** The ports of the other processes, on 127.0.0.1. */
  servicePorts: number[];
  gateways: Server[];
  servers: Servers;
  adminPassword: string;
  /** The log of the proxy. */
  proxyLog(): Promise<string>;
  stop(): Promise<void>;
}

export const CADDYFILE = join(PROJECT, 'infra/proxy/Caddyfile');

/** Where the gateways listen. */
export const GATEWAYS = ['127.0.0.2', '127.0.0.3'];
const BEHIND = ['content', 'kv', 'site', 'analytics'];

const compose = readComposeFile({
  LIMIT_UPLOADS_PER_HOUR: '0',
  LIMIT_READS_PER_MINUTE: '0',
  LIMIT_CHANGES_PER_HOUR: '0',
  SITE_MAX_BYTES: String(64 * 1_048_576),
});

/** Long enough to install all packages, and to start a process of each service, on a busy machine. */
export const DEPLOYMENT_LIMIT_MS = 900_000;

/** One for all test files of a run. */
export const deployment = oncePerRun(start);

async function start(): Promise<Deployment> {
  await ensureCommands(['caddy', 'setpriv']);
  const running = new AsyncDisposableStack();
  try {
    const dir = await mkdtemp(join(tmpdir(), 'perch-deployment-'));
    running.defer(() => rm(dir, { recursive: true, force: true }));
    const [image, secrets] = await Promise.all([builtImage(), makeSecrets()]);
    running.defer(secrets.remove);
    const passwords = await natsPasswords(secrets.folder);
    const nats = await startNats({ dir: join(dir, 'nats'), passwords });
    running.defer(nats.stop);
    const servers = await startServers({ use: { NATS_URL: nats.url } });
    running.defer(servers.stop);
    await fillSecrets(secrets.folder, servers);
    const places = { servers, secrets: secrets.folder, uploads: join(image.root, 'uploads') };
    const startOne = async (service: string, host: string, port: number): Promise<Server> => {
      const env = environmentFor(service, places);
      const server = imageProcess(image, service, { ...env, HOST: host, PORT: String(port) }, dir);
      await server.start();
      running.defer(server.stop);
      return server;
    };
    const servicePorts = await Promise.all(BEHIND.map(() => freePort()));
    await Promise.all(BEHIND.map((service, n) => startOne(service, '127.0.0.1', servicePorts[n] ?? 0)));
    const gatewayPort = await freePort();
    const gateways = await Promise.all(GATEWAYS.map((host) => startOne('gateway', host, gatewayPort)));
    const names = await startNameServer(GATEWAYS);
    running.defer(names.stop);
    const proxy = await caddy(dir, {
      GATEWAY_PORT: String(gatewayPort),
      RESOLVERS: `resolvers udp/${names.address}`,
    });
    await proxy.start();
    running.defer(proxy.stop);
    return {
      url: proxy.url,
      gatewayPort,
      servicePorts,
      gateways,
      servers,
      adminPassword: await readFile(join(secrets.folder, 'admin-password'), 'utf8'),
      proxyLog: () => readFile(join(dir, 'proxy.log'), 'utf8'),
      stop: () => running.disposeAsync(),
    };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}

/** The passwords that NATS is given, as variables. */
async function natsPasswords(folder: string): Promise<Record<string, string>> {
  const lines = (await readFile(join(folder, 'nats-passwords'), 'utf8')).trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
}

/** Gives the servers the passwords that were made, and the addresses in the secrets those of the servers. */
async function fillSecrets(folder: string, { env }: Servers): Promise<void> {
  const { PG_URL = '', REDIS_URL = '', NATS_URL = '', S3_ACCESS_KEY = '', S3_SECRET_KEY = '' } = env;
  await makeDatabaseRole('service-role', PG_URL, folder);
  const redis = new Redis(REDIS_URL);
  await redis.config('SET', 'requirepass', await readFile(join(folder, 'redis-password'), 'utf8'));
  redis.disconnect();
  const addresses: Record<string, string> = { 'pg-url': PG_URL, 'redis-url': REDIS_URL };
  for (const service of ['gateway', ...BEHIND]) addresses[`nats-url-${service}`] = NATS_URL;
  const contents: Record<string, string> = { 's3-access-key': S3_ACCESS_KEY, 's3-secret-key': S3_SECRET_KEY };
  for (const [name, address] of Object.entries(addresses)) {
    const made = new URL(await readFile(join(folder, name), 'utf8'));
    made.host = new URL(address).host;
    made.pathname = new URL(address).pathname;
    contents[name] = made.href;
  }
  for (const [name, content] of Object.entries(contents)) {
    await rm(join(folder, name));
    await writeFile(join(folder, name), content);
  }
  // Docker mounts the files one by one; here the image's user has to get into the folders.
  for (const path of [folder, dirname(folder)]) await chmod(path, 0o755);
}

/** The variables that compose gives a service, with what they name on this machine. */
function environmentFor(
  service: string,
  { servers, secrets, uploads }: { servers: Servers; secrets: string; uploads: string },
): Record<string, string | undefined> {
  const { S3_ENDPOINT, S3_BUCKET, S3_REGION } = servers.env;
  const environment = withSecretsIn(secrets, serviceOf(compose, service).environment);
  return {
    // Secrets of the test run itself are not passed to the container.
    ...Object.fromEntries(SECRET_SETTINGS.map((name) => [name, undefined])),
    ...environment,
    S3_ENDPOINT,
    S3_BUCKET,
    S3_REGION,
    ...('UPLOAD_DIR' in environment ? { UPLOAD_DIR: uploads } : {}),
  };
}

/**
 * Before a command: the user of the image, which only root can become. Others run it as themselves, on a folder that is
 * closed to them as well.
 */
export const asImageUser = ({ stage }: BuiltImage): string[] => {
  const [user = '', group = ''] = stage.user?.split(':') ?? [];
  const drop = ['setpriv', '--reuid', user, '--regid', group, '--clear-groups', '--pdeathsig', 'KILL', '--'];
  return process.geteuid?.() === 0 ? drop : [];
};

/** A process of the image, started as compose starts it. */
function imageProcess(
  image: BuiltImage,
  service: string,
  env: Record<string, string | undefined>,
  dir: string,
): Server {
  const [entry = '', ...rest] = image.stage.entrypoint;
  const command = serviceOf(compose, service).command ?? image.stage.command;
  const { HOST = '127.0.0.1', PORT = '' } = env;
  const name = service === 'gateway' ? `gateway-${HOST}` : service;
  return createChildServer({
    name,
    command: [...asImageUser(image), join(image.root, entry), ...rest, ...command],
    port: Number(PORT),
    logFile: join(dir, `${name}.log`),
    workingDirectory: join(image.root, 'perch'),
    env: { ...image.stage.env, ...env },
    isReady: () => answers(`http://${HOST}:${PORT}/readyz`),
  });
}

/**
 * Caddy with the project's Caddyfile, on free ports.
 * @param prefix a command that it is started by
 */
export async function caddy(
  dir: string,
  env: Record<string, string>,
  prefix: string[] = [],
): Promise<Server & { url: string; adminUrl: string }> {
  const port = await freePort();
  const home = join(dir, 'caddy');
  await mkdir(home, { recursive: true });
  const admin = `127.0.0.1:${await freePort()}`;
  const server = createChildServer({
    name: 'Caddy',
    command: [...prefix, commandPath('caddy'), 'run', '--config', CADDYFILE, '--adapter', 'caddyfile'],
    port,
    logFile: join(dir, 'proxy.log'),
    workingDirectory: home,
    env: {
      ...serviceOf(compose, 'proxy').environment,
      XDG_DATA_HOME: home,
      XDG_CONFIG_HOME: home,
      HTTP_PORT: String(port),
      ADMIN_ADDRESS: admin,
      ...env,
    },
    isReady: () => answers(`http://${admin}/config/`),
  });
  return { ...server, url: `http://127.0.0.1:${port}`, adminUrl: `http://${admin}` };
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.timeout(5_000),
      headers: { 'User-Agent': 'test/1' },
    });
    return answer.status < 500;
  } catch {
    return false;
  }
}
