import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Config } from '../../shared/config/stores.ts';
import { type Command, ensureCommands } from './debian.ts';
import { startNats } from './nats.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { s3Commands, startS3 } from './s3.ts';
import type { Server } from './server.ts';

export type ServerSettings = {
  PG_URL: string;
  REDIS_URL: string;
  NATS_URL: string;
  S3_ENDPOINT: string;
  S3_ACCESS_KEY: string;
  S3_SECRET_KEY: string;
  S3_REGION: string;
  S3_BUCKET: string;
};

export type Servers = {
  /** The variables of `ServerSettings`, with which services find the servers. */
  env: Record<string, string>;
  postgres: Server | null;
  redis: Server | null;
  nats: Server | null;
  s3: Server | null;
  /** Stops what was started here, and removes the temporary folder if there was one. */
  stop(): Promise<void>;
};

type Use = { [name in keyof ServerSettings]?: string | undefined };

/** The commands that have to be installed for servers without a given address. */
export function serverCommands(use: Use): Command[] {
  return [
    ...(use.PG_URL ? [] : (['postgres'] as const)),
    ...(use.REDIS_URL ? [] : (['redis-server'] as const)),
    ...(use.NATS_URL ? [] : (['nats-server'] as const)),
    ...(use.S3_ENDPOINT ? [] : s3Commands()),
  ];
}

/** Open to other users for passing through, as PostgreSQL runs as one of its own. */
async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'perch-'));
  await chmod(folder, 0o711);
  return folder;
}

function givenS3(use: Use) {
  if (!use.S3_ENDPOINT) return null;
  const {
    S3_ENDPOINT: endpoint,
    S3_ACCESS_KEY: accessKey,
    S3_SECRET_KEY: secretKey,
    S3_REGION: region,
  } = use;
  if (!accessKey || !secretKey)
    throw new Error('S3_ENDPOINT needs S3_ACCESS_KEY and S3_SECRET_KEY beside it');
  return { endpoint, accessKey, secretKey, region: region || 'us-east-1' };
}

/** The S3 server and bucket of such settings, for code that goes past the services. */
export const s3ConfigOf = (env: Record<string, string | undefined>): S3Config => ({
  endpoint: env.S3_ENDPOINT ?? '',
  accessKey: env.S3_ACCESS_KEY ?? '',
  secretKey: env.S3_SECRET_KEY ?? '',
  region: env.S3_REGION ?? '',
  bucket: env.S3_BUCKET ?? '',
});

/**
 * Starts a PostgreSQL, a Redis, a NATS and an S3 server side by side, each but those whose address is given in `use`.
 * Their data goes to `dir` and is found again there; without one, to a temporary folder. With `fsync: false` the database
 * waits for no disk: it survives a kill, but not a power cut. All of them end with this process at the latest.
 */
export async function startServers(
  options: { dir?: string; use?: Use; fsync?: boolean; postgresSettings?: Record<string, string> } = {},
): Promise<Servers> {
  const { use = {}, fsync = true, postgresSettings: settings = {} } = options;
  const s3Given = givenS3(use);
  await ensureCommands(serverCommands(use));
  const dir = options.dir ?? (await temporaryFolder());
  const folder = (name: string) => ({ dir: join(dir, name) });

  const starting = {
    postgres: use.PG_URL ? null : startPostgres({ ...folder('postgres'), fsync, settings }),
    redis: use.REDIS_URL ? null : startRedis(folder('redis')),
    nats: use.NATS_URL ? null : startNats(folder('nats')),
    s3: s3Given ? null : startS3(folder('s3')),
  };
  async function stop(): Promise<void> {
    const started = await Promise.allSettled(Object.values(starting));
    const servers = started.flatMap((result) =>
      result.status === 'fulfilled' && result.value ? [result.value] : [],
    );
    const stopped = await Promise.allSettled(servers.map((server) => server.stop()));
    if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
    const failed = stopped.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  try {
    const [postgres, redis, nats, s3] = await Promise.all([
      starting.postgres,
      starting.redis,
      starting.nats,
      starting.s3,
    ]);
    const address = s3 ?? s3Given;
    return {
      env: {
        PG_URL: postgres?.url ?? use.PG_URL ?? '',
        REDIS_URL: redis?.url ?? use.REDIS_URL ?? '',
        NATS_URL: nats?.url ?? use.NATS_URL ?? '',
        S3_ENDPOINT: address?.endpoint ?? '',
        S3_ACCESS_KEY: address?.accessKey ?? '',
        S3_SECRET_KEY: address?.secretKey ?? '',
        S3_REGION: address?.region ?? '',
        S3_BUCKET: use.S3_BUCKET || 'perch',
      },
      postgres,
      redis,
      nats,
      s3,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
