import { afterAll, beforeAll } from 'bun:test';
import { globSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownEnvironment } from '../infra/environment.ts';
import type { ServerSettings } from '../infra/servers/all.ts';
import { startNats } from '../infra/servers/nats.ts';
import { startPostgres } from '../infra/servers/postgres.ts';
import { startRedis } from '../infra/servers/redis.ts';
import { startS3 } from '../infra/servers/s3.ts';
import type { Server } from '../infra/servers/server.ts';

/** Long enough to install a server's Debian package first. */
export const START_LIMIT_MS = 300_000;

/** Folders of one test run; open to pass through, as PostgreSQL runs as a user of its own. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'perch-test-'));
  await chmod(folder, 0o711);
  return folder;
}

/** A server of the test's own, to be killed and paused as it likes. `end` also removes its data. */
export async function startOwn<S extends Server>(
  start: (options: { dir: string }) => Promise<S>,
): Promise<S & { end(): Promise<void> }> {
  const dir = await temporaryFolder();
  const server = await start({ dir });
  return {
    ...server,
    async end() {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const isStopped = (task: string): boolean => {
  // The state comes after the command's name, which stands in brackets and may hold anything.
  const stat = readFileSync(task, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
};

/** Pauses a server and waits until it is: the signal takes a moment to reach all of its threads. */
export async function pauseServer(server: Server): Promise<void> {
  server.pause();
  const tasks = server.processes().flatMap((pid) => globSync(`/proc/${pid}/task/*/stat`));
  while (!tasks.every(isStopped)) await Bun.sleep(1);
}

type Address = Partial<ServerSettings>;
type Own = { address: Address; end(): Promise<void> };

const starters = {
  async PG_URL(): Promise<Own> {
    const server = await startOwn(startPostgres);
    return { address: { PG_URL: server.url }, end: server.end };
  },
  async REDIS_URL(): Promise<Own> {
    const server = await startOwn(startRedis);
    return { address: { REDIS_URL: server.url }, end: server.end };
  },
  async NATS_URL(): Promise<Own> {
    const server = await startOwn(startNats);
    return { address: { NATS_URL: server.url }, end: server.end };
  },
  async S3_ENDPOINT(): Promise<Own> {
    const { endpoint, accessKey, secretKey, region, end } = await startOwn(startS3);
    const address = { S3_ENDPOINT: endpoint, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey };
    return { address: { ...address, S3_REGION: region, S3_BUCKET: 'perch' }, end };
  },
};

/** The variable whose presence says that a server is given. */
type ServerName = keyof typeof starters;

/**
 * Real servers for a test file, called at its top: those the environment names, else ones of its own that stop after
 * its last test. Others may use the same servers: take a bucket or key prefix of your own. The returned function
 * reads a setting; it works from `beforeAll` on.
 */
export function useServers(...needed: ServerName[]): (name: keyof ServerSettings) => string {
  const settings: Address = {};
  const own: Own[] = [];

  beforeAll(async () => {
    const missing = needed.filter((name) => !ownEnvironment()[name]);
    const started = await Promise.allSettled(missing.map((name) => starters[name]()));
    for (const result of started) if (result.status === 'fulfilled') own.push(result.value);
    for (const result of started) if (result.status === 'rejected') throw result.reason;
    Object.assign(settings, ...own.map((server) => server.address));
  }, START_LIMIT_MS);

  afterAll(async () => {
    await Promise.all(own.map((server) => server.end()));
  }, START_LIMIT_MS);

  return (name) => {
    const value = settings[name] || ownEnvironment()[name] || (name === 'S3_REGION' ? 'us-east-1' : '');
    if (!value) throw new Error(`${name} is neither set nor was its server asked for`);
    return value;
  };
}

/** Servers of the test's own that are one together. `end` also removes their data. */
export async function startOwnGroup<Group extends { stop(): Promise<void> }>(
  start: (options: { dir: string }) => Promise<Group>,
): Promise<Group & { end(): Promise<void> }> {
  const dir = await temporaryFolder();
  const group = await start({ dir });
  return {
    ...group,
    async end() {
      await group.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
