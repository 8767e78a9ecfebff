import '../../tracing-channels.ts';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { parseServerList, type ServerList } from '../../server-list.ts';

/** One server, which sentinels may choose, or the primaries of a cluster. */
export type RedisClient = Redis | Cluster;

type Options = Pick<
  RedisOptions,
  'connectTimeout' | 'commandTimeout' | 'socketTimeout' | 'maxRetriesPerRequest' | 'maxLoadingRetryTime'
> & { scripts?: Record<string, { lua: string; numberOfKeys?: number }> };

const USUAL_PORT = { server: 6379, sentinel: 26_379 };

/** Before the servers are asked once more who is the primary, or where a slot is, in ms. */
const REFRESH_MS = 1_000;

/** Longest time for an answer of a sentinel, in ms. */
const SENTINEL_MS = 1_000;

const retryMs = (attempt: number): number => Math.min(attempt * 100, 1_000);

/**
 * The client for a REDIS_URL, not connected yet. Commands without a connection fail at once.
 * - `redis://` and `rediss://` name a server,
 * - `redis+sentinel://:password@a:26379,b:26379/primary` sentinels, and by which name they know its primary;
 *   `?sentinelPassword=` and `?sentinelUsername=` open them, `?db=` chooses a database,
 * - `redis+cluster://:password@a:6379,b:6379` some nodes of a cluster, which tell of the others.
 * With `rediss+…` all connections use TLS.
 */
export function createRedisClient(url: string, options: Options): RedisClient {
  const common = { ...options, lazyConnect: true, enableOfflineQueue: false };
  const list = parseServerList(url);
  if (list?.protocol.endsWith('+cluster:')) return createCluster(list, options);
  const single = {
    ...common,
    retryStrategy: retryMs,
    // The server became a standby: the address may lead to another server by now.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
  if (!list?.protocol.endsWith('+sentinel:')) return new Redis(url, single);
  let isOpened = false;
  const redis = new Redis({
    ...single,
    ...credentialsOf(list),
    ...(isTls(list) ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    sentinels: addressesOf(list, USUAL_PORT.sentinel),
    name: decodeURIComponent(list.path),
    db: Number(list.query.get('db') ?? 0),
    ...sentinelCredentialsOf(list),
    sentinelCommandTimeout: SENTINEL_MS,
    // Once there was a primary it is sought for ever; a first connection that finds no sentinel fails.
    sentinelRetryStrategy: (attempt) => (isOpened ? retryMs(attempt) : null),
    // The former primary may go on without knowing: the sentinels say that it is none any more.
    failoverDetector: true,
    // Its own default is a minute, in which it would hear of none.
    sentinelReconnectStrategy: retryMs,
  });
  redis.once('ready', () => {
    isOpened = true;
  });
  // Told of a failover while it asks where the primary is, this client gives up for good (ioredis 6.0.0, `SentinelConnector`).
  redis.on('end', () => {
    if (!isOpened || closed.has(redis)) return;
    setTimeout(() => {
      if (!closed.has(redis)) redis.connect().catch(() => undefined);
    }, retryMs(1));
  });
  return redis;
}

function createCluster(list: ServerList, { scripts, ...options }: Options): Cluster {
  const cluster = new Cluster(addressesOf(list, USUAL_PORT.server), {
    ...(scripts === undefined ? {} : { scripts }),
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: retryMs,
    slotsRefreshInterval: REFRESH_MS,
    // A command may have run on the node that was lost: its caller knows whether it may be sent again.
    retryDelayOnFailover: 0,
    // Names are resolved by each connection, so that certificates are checked against them.
    dnsLookup: (address, callback) => callback(null, address),
    redisOptions: { ...options, ...credentialsOf(list), ...(isTls(list) ? { tls: {} } : {}) },
  });
  cluster.on('+node', failUnansweredCommands);
  return cluster;
}

/**
 * Makes a node whose connection is lost tell commands that it may have run (`MaxRetriesPerRequestError`) from those that
 * it was never sent (`mayStillRun`): only one that connects again does so (ioredis 6.0.0, `closeHandler`). After one attempt it
 * is left to the cluster to find the node, or another in its place.
 */
function failUnansweredCommands(node: Redis): void {
  node.once('ready', () => {
    node.options.retryStrategy = (attempt) => (attempt === 1 ? retryMs(attempt) : null);
    // Commands that come meanwhile fail at once, as they do with one server.
    node.options.enableOfflineQueue = false;
  });
}

const isTls = ({ protocol }: ServerList): boolean => protocol.startsWith('rediss');

const addressesOf = ({ servers }: ServerList, usualPort: number) =>
  servers.map(({ host, port }) => ({ host, port: port ?? usualPort }));

const credentialsOf = ({ username, password }: ServerList) => ({
  ...(username === '' ? {} : { username: decodeURIComponent(username) }),
  ...(password === '' ? {} : { password: decodeURIComponent(password) }),
});

function sentinelCredentialsOf({ query }: ServerList) {
  const [username, password] = [query.get('sentinelUsername'), query.get('sentinelPassword')];
  return {
    ...(username === null ? {} : { sentinelUsername: username }),
    ...(password === null ? {} : { sentinelPassword: password }),
  };
}

/** Events by which the client tells of a server, a sentinel or a node that it could not use. */
const FAULT_EVENTS = ['error', 'sentinelError', 'node error'] as const;

/**
 * In a cluster commands fail while their node is still being connected to: so all are, before.
 * @throws when nobody answers, or there is no database of the number that is asked for
 */
export async function connectRedis(redis: RedisClient): Promise<void> {
  const reasons = new Set<string>();
  const note = (error: Error): void => void reasons.add(error.message);
  for (const event of FAULT_EVENTS) redis.on(event, note);
  const ready = Promise.withResolvers<void>();
  redis.once('ready', ready.resolve);
  try {
    // A connection to a cluster that says it is failing is made anew, and the first promise is left open (ioredis 6.0.0, `Cluster.connect`).
    await Promise.race([redis.connect(), ready.promise]);
    if (redis instanceof Cluster) await askPrimaries(redis, (primary) => primary.ping());
    // The client itself only tells of it, and goes on with the first database.
    else if (redis.options.db) await redis.select(redis.options.db);
  } catch (error) {
    // The client rejects with its state alone: that the connection is closed, or that no node is available.
    throw reasons.size === 0 ? error : new Error([...reasons].join('; '), { cause: error });
  } finally {
    redis.off('ready', ready.resolve);
    for (const event of FAULT_EVENTS) redis.off(event, note);
  }
}

/**
 * Whether one command may name any keys. A server in cluster mode refuses those of several slots, also when the URL
 * names it alone, as with a managed cluster of one server.
 */
export async function takesAllKeys(redis: RedisClient): Promise<boolean> {
  return !(redis instanceof Cluster) && !/^cluster_enabled:1/m.test(await redis.info('cluster'));
}

/** Whether another server takes over from one that dies. */
export const hasFailover = (redis: RedisClient): boolean =>
  redis instanceof Cluster || (redis.options.sentinels ?? null) !== null;

/** Clients that are not to connect again. */
const closed = new WeakSet<RedisClient>();

export function closeRedis(redis: RedisClient): void {
  closed.add(redis);
  redis.disconnect();
}

/** The servers that have keys: each one's are its own. @throws when all of a cluster are gone, so that none is known */
export function primariesOf(redis: RedisClient): Redis[] {
  const primaries = redis instanceof Cluster ? redis.nodes('master') : [redis];
  if (primaries.length === 0) throw new Error('the cluster has no primaries');
  return primaries;
}

/** The answer of each of them. @throws as `primariesOf` */
export const askPrimaries = async <T>(
  redis: RedisClient,
  ask: (primary: Redis) => Promise<T>,
): Promise<T[]> => await Promise.all(primariesOf(redis).map(ask));

/** Sends one command when it is called. */
export type Send = () => Promise<unknown>;
export type Settled = { value: unknown } | { error: unknown };

/**
 * Sends commands in one write; in a cluster each goes to the server of its slot, by itself. Resolves to their outcomes in
 * their order. Pipelines of the client would do so too, but each copies all scripts first, which takes longer than a command.
 */
export function sendTogether(redis: RedisClient, commands: readonly Send[]): Promise<Settled[]> {
  // Without a connection there is no stream, and each command fails by itself.
  const stream: Redis['stream'] | undefined = redis instanceof Cluster ? undefined : redis.stream;
  stream?.cork();
  const outcomes = commands.map(outcomeOf);
  stream?.uncork();
  return Promise.all(outcomes);
}

async function outcomeOf(send: Send): Promise<Settled> {
  try {
    return { value: await send() };
  } catch (error) {
    return { error };
  }
}
