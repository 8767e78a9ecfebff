import { Redis } from 'ioredis';

/** The name by which sentinels know the primary. */
export const PRIMARY_NAME = 'perch';

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
