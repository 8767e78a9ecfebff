import { join } from 'node:path';
import { createDiskBlobStore } from '../adapters/blob/disk/store.ts';
import { createInProcessBus } from '../adapters/bus/in-process.ts';
import { createMemoryCache } from '../adapters/cache/memory.ts';
import { lockFolder } from '../adapters/data-dir/folder-lock.ts';
import { closeFolder, readOrMakeSecret } from '../adapters/data-dir/private-files.ts';
import { startEmbeddedPostgres } from '../adapters/database/embedded/postgres.ts';
import { openForMaintenance } from '../adapters/database/maintenance.ts';
import { migrate } from '../adapters/database/migrate.ts';
import { openDatabase } from '../adapters/database/postgres.ts';
import { createInProcessEventStream } from '../adapters/events/in-process.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { boundBus } from '../contracts/bounded-bus.ts';
import { createItemTurns } from '../items/item-turns.ts';
import { createLoadShedding, type LoadShedding } from '../load-shedding.ts';
import type { Logger } from '../logger.ts';
import {
  ACCESS_EVENT_STREAM,
  BUS_BOUNDS,
  BUS_PAYLOAD_BYTES,
  createSignal,
  DATABASE_CONNECTIONS,
  type EmbeddedDependencies,
  STATEMENT_TIMEOUT_MS,
  type Wired,
} from './dependencies.ts';
import { MIGRATIONS } from './migrations.ts';
import { reach } from './reach.ts';
import { createScanning } from './scanning.ts';

/** Loaded for those who name such a server: most start without, and their libraries take a sixth of the start. */
const clients = {
  s3: () => import('../adapters/blob/s3.ts'),
  redis: () => import('../adapters/cache/redis.ts'),
  nats: () => import('../adapters/bus/nats.ts'),
  natsEvents: () => import('../adapters/events/nats.ts'),
};

/**
 * Everything in one process, on adapters that need no server. Each of PG_URL, REDIS_URL, NATS_URL and S3_ENDPOINT
 * moves one part out. When one part does not open, those before it are closed again.
 */
export async function wireEmbedded(config: Config, log: Logger): Promise<Wired<EmbeddedDependencies>> {
  const opened = new AsyncDisposableStack();
  try {
    const deps = await openDependencies(config, log, opened);
    return { deps, close: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** The database comes last: it takes longest, and is not started in vain when another part is away. */
async function openDependencies(
  config: Config,
  log: Logger,
  opened: AsyncDisposableStack,
): Promise<EmbeddedDependencies> {
  const { dataDir, natsUrl, redisUrl, s3 } = config;
  opened.adopt(lockFolder(dataDir), (lock) => lock.release());
  await closeFolder(dataDir, log);
  const cookieSecret = config.cookieSecret ?? (await readOrMakeSecret(join(dataDir, 'cookie-secret')));
  const blobs = opened.adopt(
    await (s3 === null
      ? createDiskBlobStore({ dir: join(dataDir, 'content'), log })
      : reach('S3_ENDPOINT', 'the S3 server', (await clients.s3()).createS3BlobStore({ ...s3, log }))),
    (store) => store.close(),
  );
  const cache = opened.adopt(
    await (redisUrl === null
      ? createMemoryCache({ clock: systemClock, log, snapshotFile: join(dataDir, 'views.json') })
      : reach('REDIS_URL', 'Redis', (await clients.redis()).createRedisCache({ url: redisUrl, log }))),
    (store) => store.close(),
  );
  const bus = opened.adopt(
    natsUrl === null
      ? createInProcessBus({ maxPayloadBytes: BUS_PAYLOAD_BYTES })
      : await reach(
          'NATS_URL',
          'NATS',
          (await clients.nats()).createNatsBus({
            url: natsUrl,
            name: 'perch',
            minPayloadBytes: BUS_PAYLOAD_BYTES,
            log,
          }),
        ),
    (messages) => messages.close(),
  );
  const events = opened.adopt(
    natsUrl === null
      ? createInProcessEventStream(log)
      : (await clients.natsEvents()).createNatsEventStream({
          url: natsUrl,
          name: 'perch',
          stream: ACCESS_EVENT_STREAM,
          log,
          replicas: config.natsStreamReplicas,
        }),
    (stream) => stream.close(),
  );
  const loadShedding = createLoadShedding(log);
  const lost = createSignal();
  const database = await openMigratedDatabase(config, log, loadShedding, opened, lost.tell);
  return {
    config: { ...config, cookieSecret },
    bus: boundBus(bus, BUS_BOUNDS, loadShedding),
    blobs,
    cache,
    events,
    clock: systemClock,
    log,
    loadShedding,
    ...database,
    turns: createItemTurns(() => loadShedding.shed('changes')),
    scanning: createScanning(config, blobs, log),
    onDatabaseLost: lost.listen,
  };
}

async function openMigratedDatabase(
  { pgUrl, dataDir }: Config,
  log: Logger,
  loadShedding: LoadShedding,
  opened: AsyncDisposableStack,
  onLost: () => void,
): Promise<Pick<EmbeddedDependencies, 'sql' | 'openMaintenance'>> {
  const url =
    pgUrl ?? opened.adopt(await startEmbeddedPostgres({ dataDir, log }), (server) => server.stop()).url;
  const migrating = migrate(url, { directory: MIGRATIONS, log });
  await (pgUrl === null ? migrating : reach('PG_URL', 'PostgreSQL', migrating));
  const sql = opened.adopt(
    openDatabase(url, {
      log,
      maxConnections: DATABASE_CONNECTIONS,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      loadShedding,
      onLost,
    }),
    (database) => database.end({ timeout: 2 }),
  );
  return { sql, openMaintenance: () => openForMaintenance(url, log) };
}
