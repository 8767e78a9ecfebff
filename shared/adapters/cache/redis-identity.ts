import { createHash } from 'node:crypto';
import { Cluster, type Redis } from 'ioredis';
import { primariesOf, type RedisClient } from './redis-client.ts';

/**
 * Two servers differ in it, and one before and after it had another's data: the start of the server (`run_id`), and since when
 * it takes changes (`master_replid`, which is another one after each promotion). A server that was replaced, and has taken
 * over again without a restart, has the data of the one in between. Of a cluster both are of all its primaries together.
 */
export interface RedisIdentity {
  run: string;
  line: string;
}

const SEPARATOR = ' ';

export const nameOf = ({ run, line }: RedisIdentity): string => `${run}${SEPARATOR}${line}`;

export function identityOf(name: string): RedisIdentity {
  const [run = '', line = ''] = name.split(SEPARATOR);
  return { run, line };
}

export async function readIdentity(redis: RedisClient): Promise<RedisIdentity> {
  if (!(redis instanceof Cluster)) return await identityOfServer(redis);
  const primaries = await Promise.all(primariesOf(redis).map(identityOfServer));
  if (primaries.length === 0) throw new Error('the cluster has no primaries');
  const names = primaries.map(nameOf).toSorted();
  return { run: 'cluster', line: createHash('sha256').update(names.join('\n')).digest('hex') };
}

async function identityOfServer(redis: Redis): Promise<RedisIdentity> {
  const [server, replication] = await Promise.all([redis.info('server'), redis.info('replication')]);
  const run = /^run_id:(\w+)/m.exec(server)?.[1];
  const line = /^master_replid:(\w+)/m.exec(replication)?.[1];
  if (run === undefined || line === undefined) throw new Error('Redis does not name its run');
  return { run, line };
}
