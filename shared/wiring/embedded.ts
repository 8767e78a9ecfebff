import { join } from 'node:path';
import { createDiskBlobStore } from '../adapters/blob-store-disk.ts';
import { createS3BlobStore } from '../adapters/blob-store-s3.ts';
import { createInProcessBus } from '../adapters/bus-in-process.ts';
import { createNatsBus } from '../adapters/bus-nats.ts';
import { createMemoryCache } from '../adapters/cache-memory.ts';
import { createRedisCache } from '../adapters/cache-redis.ts';
import { openDatabase } from '../adapters/database.ts';
import { startEmbeddedPostgres } from '../adapters/embedded-postgres.ts';
import { lockFolder } from '../adapters/folder-lock.ts';
import { migrate } from '../adapters/migrate.ts';
import { readOrMakeSecret } from '../adapters/secret-file.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../logger.ts';
import { MIGRATIONS } from './distributed.ts';
import {
  BUS_PAYLOAD_BYTES,
  DATABASE_CONNECTIONS,
  type ServiceParts,
  STATEMENT_TIMEOUT_MS,
  type Wired,
} from './parts.ts';

/**
 * Everything in one process, on adapters that need no server. Each of PG_URL, REDIS_URL, NATS_URL and S3_ENDPOINT
 * moves one part out.
 */
export async function wireEmbedded(config: Config, log: Logger): Promise<Wired<ServiceParts>> {
  const { dataDir } = config;
  const lock = lockFolder(dataDir);
  const cookieSecret = config.cookieSecret ?? (await readOrMakeSecret(join(dataDir, 'cookie-secret')));
  const [database, bus, blobs, cache] = await Promise.all([
    openMigratedDatabase(config, log),
    config.natsUrl === null
      ? createInProcessBus({ maxPayloadBytes: BUS_PAYLOAD_BYTES })
      : createNatsBus({ url: config.natsUrl, name: 'perch', minPayloadBytes: BUS_PAYLOAD_BYTES, log }),
    config.s3 === null
      ? createDiskBlobStore({ dir: join(dataDir, 'content') })
      : createS3BlobStore(config.s3),
    config.redisUrl === null
      ? createMemoryCache({ clock: systemClock, log, snapshotFile: join(dataDir, 'views.json') })
      : createRedisCache({ url: config.redisUrl, log }),
  ]);
  return {
    parts: {
      ...{ config: { ...config, cookieSecret }, bus, blobs, cache, clock: systemClock, log },
      sql: database.sql,
    },
    async close() {
      await bus.close();
      await cache.close();
      await blobs.close();
      await database.close();
      lock.release();
    },
  };
}

async function openMigratedDatabase(config: Config, log: Logger) {
  const server = config.pgUrl === null ? await startEmbeddedPostgres({ dataDir: config.dataDir, log }) : null;
  const url = server?.url ?? config.pgUrl ?? '';
  try {
    await migrate(url, { directory: MIGRATIONS, log });
  } catch (error) {
    await server?.stop();
    throw error;
  }
  const sql = openDatabase(url, {
    log,
    maxConnections: DATABASE_CONNECTIONS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  return {
    sql,
    async close() {
      await sql.end({ timeout: 2 });
      await server?.stop();
    },
  };
}
