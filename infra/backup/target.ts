import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createDiskBlobStore } from '../../shared/adapters/blob/disk.ts';
import { createS3BlobStore } from '../../shared/adapters/blob/s3.ts';
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
import { lockFolder } from '../../shared/adapters/data-dir/folder-lock.ts';
import { startEmbeddedPostgres } from '../../shared/adapters/database/embedded/postgres.ts';
import type { Config } from '../../shared/config.ts';
import type { Logger } from '../../shared/logger.ts';
import type { BlobStore } from '../../shared/ports/blob-store.ts';
import { ToolError } from './tool-error.ts';

/** Where a restored Perch will keep its data. */
export interface Target {
  databaseUrl: string;
  blobs: BlobStore;
  /**
   * Forgets routes, values and counters of an earlier life: they may be newer than what is restored, and would never be
   * overwritten.
   */
  forgetCached(): Promise<void>;
}

/** Opens, for this process alone, what the settings name. Given back with `opened`. */
export async function openTarget(config: Config, log: Logger, opened: AsyncDisposableStack): Promise<Target> {
  const { pgUrl, s3, redisUrl, dataDir } = config;
  if (pgUrl === null || s3 === null || redisUrl === null) {
    await mkdir(dataDir, { recursive: true });
    opened.adopt(lockFolder(dataDir), (lock) => lock.release());
  }
  const forgetCached = redisUrl === null ? forgetSavedViews(dataDir) : await forgetInRedis(redisUrl, opened);
  const blobs = opened.adopt(
    await (s3 === null ? createDiskBlobStore({ dir: join(dataDir, 'content') }) : createS3BlobStore(s3)),
    (store) => store.close(),
  );
  const databaseUrl =
    pgUrl ?? opened.adopt(await startEmbeddedPostgres({ dataDir, log }), (server) => server.stop()).url;
  return { databaseUrl, blobs, forgetCached };
}

const forgetSavedViews = (dataDir: string) => () => rm(join(dataDir, 'views.json'), { force: true });

/** Items' keys look so; rate-limit windows stay. */
const CACHED = [recordKey, viewsKey, unseededKey, codeKey, entriesKey].map((keyOf) => keyOf('*'));

async function forgetInRedis(
  redisUrl: string,
  opened: AsyncDisposableStack,
): Promise<Target['forgetCached']> {
  const redis = createRedisClient(redisUrl, { maxRetriesPerRequest: 3 });
  // Each command that fails says so.
  redis.on('error', () => undefined);
  opened.defer(() => closeRedis(redis));
  const unreachable = (error: unknown): never => {
    throw new ToolError(
      `Redis cannot be reached at REDIS_URL (${error instanceof Error ? error.message : String(error)}).`,
    );
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
