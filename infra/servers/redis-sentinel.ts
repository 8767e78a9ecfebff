import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { until } from '../until.ts';
import { tcpAnswer } from './answers.ts';
import { commandPath, ensureCommands } from './debian.ts';
import { keptPorts } from './port.ts';
import { startRedis } from './redis.ts';
import { createChildServer, type Server, type ServerGroup, startGroup } from './server.ts';

const SENTINELS = 3;
const QUORUM = 2;
/** A primary that is silent for so long is taken for dead. */
const DOWN_AFTER_MS = 2_000;

export interface SentinelGroup extends ServerGroup {
  sentinels: Server[];
  /** The port of the server that takes changes now, as a sentinel sees it. */
  primaryPort(): Promise<number>;
  ports: number[];
  /** Whether all run and the replica has what the primary has. */
  isWhole(): Promise<boolean>;
}

/**
 * Two Redis servers, one the replica of the other, and three sentinels that choose which. `members` are the two. Servers and
 * sentinels write which one is the primary into the configuration files that they are started with.
 */
export async function startRedisSentinel({ dir }: { dir: string }): Promise<SentinelGroup> {
  const all = await keptPorts(dir, 2 + SENTINELS);
  const [ports, sentinelPorts] = [all.slice(0, 2), all.slice(2)];
  const [first = 0] = ports;
  const servers = await startGroup(
    ports.map((port, n) => () => startMember(join(dir, `redis-${n + 1}`), port, first)),
  );
  const sentinels = await startGroup(
    sentinelPorts.map((port, n) => () => startSentinel(join(dir, `sentinel-${n + 1}`), port, first)),
  ).catch(async (error: unknown) => {
    await servers.stop();
    throw error;
  });
  const addresses = sentinelPorts.map((port) => ({ port }));
  const primaryPort = async (): Promise<number> => {
    const answers = await Promise.all(addresses.map(primaryKnownTo));
    const ofMost = answers.flatMap((answer) => (answer === null ? [] : [answer.port]));
    return ofMost.toSorted((a, b) => countOf(ofMost, b) - countOf(ofMost, a))[0] ?? 0;
  };
  await until('the sentinels know the replica and one another', () => areAcquainted(addresses));
  const list = sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
  return {
    url: `redis+sentinel://${list}/${PRIMARY_NAME}`,
    members: servers.members,
    sentinels: sentinels.members,
    ports,
    primaryPort,
    isWhole: async () => (await areAcquainted(addresses)) && (await followsIn(ports)),
    async stop() {
      await sentinels.stop();
      await servers.stop();
    },
  };
}

const countOf = (values: number[], wanted: number): number =>
  values.filter((value) => value === wanted).length;

/** The replica follows the first one until a sentinel says otherwise, which Redis then writes into this file. */
async function startMember(dir: string, port: number, primary: number) {
  await mkdir(dir, { recursive: true });
  const file = join(dir, 'replication.conf');
  if (!existsSync(file)) {
    const role = port === primary ? '' : `replicaof 127.0.0.1 ${primary}\n`;
    await writeFile(file, `include ${join(import.meta.dirname, '../redis.conf')}\n${role}`);
  }
  return await startRedis({ dir, port, name: `Redis ${port}`, config: file });
}

async function startSentinel(dir: string, port: number, primary: number): Promise<Server> {
  await ensureCommands(['redis-server', 'setpriv']);
  await mkdir(dir, { recursive: true });
  const file = join(dir, 'sentinel.conf');
  // A sentinel keeps in this file all that it learns.
  if (!existsSync(file)) {
    await writeFile(
      file,
      [
        ...[`port ${port}`, 'bind 127.0.0.1', `dir ${dir}`],
        `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${primary} ${QUORUM}`,
        `sentinel down-after-milliseconds ${PRIMARY_NAME} ${DOWN_AFTER_MS}`,
        `sentinel failover-timeout ${PRIMARY_NAME} 10000`,
        '',
      ].join('\n'),
    );
  }
  const server = createChildServer({
    name: `Redis Sentinel ${port}`,
    port,
    workingDirectory: dir,
    logFile: join(dir, 'server.log'),
    command: [commandPath('redis-server'), file, '--sentinel'],
    isReady: async () => (await tcpAnswer(port, 'PING\r\n'))?.startsWith('+PONG') ?? false,
  });
  await server.start();
  return server;
}

/** Whether one of them is the replica of the other, with its link up. */
async function followsIn(ports: number[]): Promise<boolean> {
  const infos = await Promise.all(
    ports.map((port) => askRedis({ port }, (redis) => redis.info('replication'))),
  );
  const texts = infos.map((info) => info ?? '');
  return (
    texts.some((text) => text.includes('role:master') && text.includes('state=online')) &&
    texts.some((text) => text.includes('master_link_status:up'))
  );
}

/** The name by which sentinels know the primary. */
const PRIMARY_NAME = 'perch';

/** Where a Redis server or a sentinel listens. */
export interface RedisAddress {
  host?: string;
  port: number;
  password?: string;
}

/** Longest time to connect, and for an answer, in ms. */
const LIMIT_MS = 1_000;

/** Asks over a connection of its own; `null`: the server did not answer in time, or refused. */
export async function askRedis<Answer>(
  address: RedisAddress,
  question: (redis: Redis) => Promise<Answer>,
  limitMs = LIMIT_MS,
): Promise<Answer | null> {
  const redis = new Redis({
    ...address,
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: limitMs,
    commandTimeout: limitMs,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await question(redis);
  } catch {
    return null;
  } finally {
    redis.disconnect();
  }
}

async function askSentinel(sentinel: RedisAddress, command: string): Promise<unknown[] | null> {
  const answer = await askRedis(sentinel, (redis) => redis.call('SENTINEL', command, PRIMARY_NAME));
  return Array.isArray(answer) ? answer : null;
}

/** Host and port of the primary, as a sentinel has it. */
export async function primaryKnownTo(sentinel: RedisAddress): Promise<{ host: string; port: number } | null> {
  const answer = await askSentinel(sentinel, 'get-master-addr-by-name');
  return answer === null ? null : { host: String(answer[0]), port: Number(answer[1]) };
}

/** Whether each sentinel knows the one replica and all others: before that there is nobody to vote, and nobody to promote. */
export async function areAcquainted(sentinels: RedisAddress[]): Promise<boolean> {
  const known = await Promise.all(
    sentinels.map(async (sentinel) => {
      const replicas = await askSentinel(sentinel, 'replicas');
      const others = await askSentinel(sentinel, 'sentinels');
      return replicas?.length === 1 && others?.length === sentinels.length - 1;
    }),
  );
  return known.every(Boolean);
}
