import { createS3BlobStore } from '../adapters/blob/s3.ts';
import { createNatsBus } from '../adapters/bus/nats.ts';
import { createRedisCache } from '../adapters/cache/redis.ts';
import { openForMaintenance } from '../adapters/database/maintenance.ts';
import { migrate } from '../adapters/database/migrate.ts';
import { openDatabase } from '../adapters/database/postgres.ts';
import { createNatsEventStream } from '../adapters/events/nats.ts';
import { systemClock } from '../clock.ts';
import { type Config, GATEWAY_NEEDS, loadConfig, SERVICE_NEEDS } from '../config.ts';
import { boundBus } from '../contracts/bounded-bus.ts';
import { createItemTurns } from '../items/item-turns.ts';
import { createLoadShedding } from '../load-shedding.ts';
import { createLogger, type Logger } from '../logger.ts';
import {
  ACCESS_EVENT_STREAM,
  BUS_BOUNDS,
  BUS_PAYLOAD_BYTES,
  type CommonDependencies,
  createSignal,
  DATABASE_CONNECTIONS,
  type GatewayProcessDependencies,
  type ServiceDependencies,
  STATEMENT_TIMEOUT_MS,
  type Wired,
} from './dependencies.ts';
import { MIGRATIONS } from './migrations.ts';
import { reach } from './reach.ts';
import { createScanning } from './scanning.ts';

export interface Process<Dependencies> extends Wired<Dependencies> {
  flushLogs: () => void;
}

/** Connects a gateway process to the servers that the environment names. */
export async function wireGateway(): Promise<Process<GatewayProcessDependencies>> {
  const config = loadConfig(undefined, GATEWAY_NEEDS);
  const { log, flush } = createLogger('gateway', config.logLevel);
  const { deps, close } = await connect(config, log, 'gateway');
  const cookieSecret = needed(config.cookieSecret);
  return { deps: { ...deps, config: { ...config, cookieSecret } }, close, flushLogs: flush };
}

/** Connects a service process, and brings the schema up to date first. */
export async function wireService(name: string): Promise<Process<ServiceDependencies>> {
  const config = loadConfig(undefined, SERVICE_NEEDS);
  const { log, flush } = createLogger(name, config.logLevel);
  const url = needed(config.pgUrl);
  await reach('PG_URL', 'PostgreSQL', migrate(url, { directory: MIGRATIONS, log }));
  const { deps, close } = await connect(config, log, name);
  const lost = createSignal();
  const sql = openDatabase(url, {
    log,
    maxConnections: DATABASE_CONNECTIONS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    loadShedding: deps.loadShedding,
    onLost: lost.tell,
  });
  const closing = new AsyncDisposableStack();
  closing.defer(() => sql.end({ timeout: 2 }));
  closing.defer(close);
  return {
    deps: {
      ...deps,
      sql,
      openMaintenance: () => openForMaintenance(url, log),
      turns: createItemTurns(() => deps.loadShedding.shed('changes')),
      scanning: createScanning(config, deps.blobs, log),
      onDatabaseLost: lost.listen,
    },
    close: () => closing.disposeAsync(),
    flushLogs: flush,
  };
}

async function connect(config: Config, log: Logger, name: string): Promise<Wired<CommonDependencies>> {
  const [bus, blobs, cache] = await Promise.all([
    reach(
      'NATS_URL',
      'NATS',
      createNatsBus({ url: needed(config.natsUrl), name, minPayloadBytes: BUS_PAYLOAD_BYTES, log }),
    ),
    reach('S3_ENDPOINT', 'the S3 server', createS3BlobStore({ ...needed(config.s3), log })),
    reach('REDIS_URL', 'Redis', createRedisCache({ url: needed(config.redisUrl), log })),
  ]);
  const events = createNatsEventStream({
    url: needed(config.natsUrl),
    name,
    stream: ACCESS_EVENT_STREAM,
    replicas: config.natsStreamReplicas,
    log,
  });
  const loadShedding = createLoadShedding(log);
  // From the last to the first, each whether or not the others could be closed.
  const closing = new AsyncDisposableStack();
  for (const part of [blobs, cache, bus, events]) closing.defer(() => part.close());
  return {
    deps: {
      config,
      bus: boundBus(bus, BUS_BOUNDS, loadShedding),
      blobs,
      cache,
      events,
      clock: systemClock,
      log,
      loadShedding,
      scanning: null,
    },
    close: () => closing.disposeAsync(),
  };
}

/** `loadConfig` has checked it; the type does not know. */
function needed<T>(value: T | null): T {
  if (value === null) throw new Error('a required setting is missing');
  return value;
}
