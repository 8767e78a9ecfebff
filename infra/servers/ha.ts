import { join } from 'node:path';
import { connect } from 'nats';
import { until } from '../until.ts';
import type { ServerSettings } from './all.ts';
import { startNatsCluster } from './nats.ts';
import { startPatroni } from './patroni.ts';
import { startRedisSentinel } from './redis-sentinel.ts';
import { startS3 } from './s3.ts';
import type { Server } from './server.ts';

/** Each service on several servers, of which any one may die; S3 alone is one. */
export interface HaServers {
  /** Settings by which services find them. */
  env: ServerSettings & { NATS_STREAM_REPLICAS: string };
  /** By name: `postgres-1`. */
  members: Record<string, Server>;
  /** The names of those that lead at this moment. */
  leaders(): Promise<{ postgres: string; redis: string; nats: string }>;
  /** Waits until each of them runs and has what the others have, so that the next one may die. */
  whole(): Promise<void>;
  stop(): Promise<void>;
}

const BUCKET = 'perch';

/** Starts them on loopback, with their data in folders of `dir`. */
export async function startHaServers({
  dir,
  fsync = true,
}: {
  dir: string;
  fsync?: boolean;
}): Promise<HaServers> {
  const running = new AsyncDisposableStack();
  const keep = async <Group extends { stop(): Promise<void> }>(starting: Promise<Group>): Promise<Group> => {
    const group = await starting;
    running.defer(() => group.stop());
    return group;
  };
  const folder = (name: string) => ({ dir: join(dir, name) });
  try {
    const outcomes = await Promise.allSettled([
      keep(startPatroni({ ...folder('postgres'), fsync })),
      keep(startRedisSentinel(folder('redis'))),
      keep(startNatsCluster(folder('nats'))),
      keep(startS3(folder('s3'))),
    ] as const);
    const [postgres, redis, nats, s3] = outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    }) as Started;
    const named = (name: string, servers: Server[]): [string, Server][] =>
      servers.map((server, n) => [`${name}-${n + 1}`, server]);
    const members = Object.fromEntries([
      ...named('postgres', postgres.members),
      ...named('etcd', postgres.etcd),
      ...named('redis', redis.members),
      ...named('sentinel', redis.sentinels),
      ...named('nats', nats.members),
    ]);
    return {
      env: {
        PG_URL: postgres.url,
        REDIS_URL: redis.url,
        NATS_URL: nats.url,
        NATS_STREAM_REPLICAS: '3',
        S3_ENDPOINT: s3.endpoint,
        S3_ACCESS_KEY: s3.accessKey,
        S3_SECRET_KEY: s3.secretKey,
        S3_REGION: s3.region,
        S3_BUCKET: BUCKET,
      },
      members,
      async leaders() {
        const primary = redis.ports.indexOf(await redis.primaryPort());
        return {
          postgres: `postgres-${(await postgres.primary()) + 1}`,
          redis: `redis-${primary + 1}`,
          nats: await leaderOfStreams(nats.url),
        };
      },
      async whole() {
        await until('PostgreSQL has a synchronous standby', postgres.isSynchronous, 120_000);
        await until('Redis has a replica that follows', redis.isWhole);
        await until('every stream is on all NATS servers', async () => await areStreamsWhole(nats.url));
      },
      stop: () => running.disposeAsync(),
    };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}

type Started = [
  Awaited<ReturnType<typeof startPatroni>>,
  Awaited<ReturnType<typeof startRedisSentinel>>,
  Awaited<ReturnType<typeof startNatsCluster>>,
  Awaited<ReturnType<typeof startS3>>,
];

async function streamsOf(url: string) {
  const connection = await connect({ servers: url.split(','), timeout: 1_000 });
  try {
    const manager = await connection.jetstreamManager({ timeout: 2_000 });
    return await manager.streams.list().next();
  } finally {
    await connection.close();
  }
}

/** The leader of the first stream there is, as its name in the cluster. */
async function leaderOfStreams(url: string): Promise<string> {
  const [stream] = await streamsOf(url);
  return stream?.cluster?.leader ?? 'nats-1';
}

async function areStreamsWhole(url: string): Promise<boolean> {
  try {
    const streams = await streamsOf(url);
    return streams.every(({ config, cluster }) => {
      const followers = cluster?.replicas ?? [];
      const current = followers.filter((follower) => follower.current && follower.offline !== true);
      return current.length === config.num_replicas - 1;
    });
  } catch {
    return false;
  }
}
