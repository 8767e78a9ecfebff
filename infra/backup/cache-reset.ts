import {
  closeRedis,
  connectRedis,
  createRedisClient,
  primariesOf,
} from '../../shared/adapters/cache/redis-client.ts';
import {
  codeKey,
  entriesKey,
  recordKey,
  unseededKey,
  VIEWED_KEYS,
  viewsKey,
} from '../../shared/adapters/cache/redis-records.ts';
import { messageOf } from '../../shared/message-of.ts';
import { ToolError } from './run-tool.ts';

/** Items' keys look so; rate-limit windows stay. */
const CACHED = [recordKey, viewsKey, unseededKey, codeKey, entriesKey].map((keyOf) => keyOf('*'));

/** Connects to Redis, and returns a function that forgets the cached state of all items. @throws ToolError when Redis cannot be reached */
export async function openCacheReset(
  redisUrl: string,
  opened: AsyncDisposableStack,
): Promise<() => Promise<void>> {
  const redis = createRedisClient(redisUrl, { maxRetriesPerRequest: 3 });
  // Each command that fails says so.
  redis.on('error', () => undefined);
  opened.defer(() => closeRedis(redis));
  const unreachable = (error: unknown): never => {
    throw new ToolError(`Redis cannot be reached at REDIS_URL (${messageOf(error)}).`);
  };
  await connectRedis(redis).catch(unreachable);
  const forget = async (): Promise<void> => {
    for (const primary of primariesOf(redis)) {
      for (const match of CACHED) {
        for await (const keys of primary.scanStream({ match, count: 1_000 }) as AsyncIterable<string[]>)
          await Promise.all(keys.map((key) => primary.unlink(key)));
      }
    }
    await redis.unlink(Object.values(VIEWED_KEYS));
  };
  return () => forget().catch(unreachable);
}
