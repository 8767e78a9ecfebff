import { resolve } from 'node:path';
import { createS3BlobStore } from '../adapters/blob/s3.ts';
import { createNatsBus } from '../adapters/bus/nats.ts';
import { createRedisCache } from '../adapters/cache/redis.ts';
import { migrate } from '../adapters/database/migrate.ts';
import { openDatabase } from '../adapters/database/postgres.ts';
import { createNatsEventStream } from '../adapters/events/nats.ts';
import { systemClock } from '../clock.ts';
import { type Config, GATEWAY_NEEDS, loadConfig, SERVICE_NEEDS } from '../config.ts';
import { boundBus } from '../contracts/bounded-bus.ts';
import { createLogger, type Logger } from '../logger.ts';
import { createRefusals } from '../refusals.ts';
import {
  ACCESS_EVENT_STREAM,
  BUS_BOUNDS,
  BUS_PAYLOAD_BYTES,
  type CommonParts,
  createSignal,
  DATABASE_CONNECTIONS,
  type GatewayParts,
  type ServiceParts,
  STATEMENT_TIMEOUT_MS,
  type Wired,
} from './parts.ts';

/** The schema, applied by whichever process comes first. */
export const MIGRATIONS = resolve(import.meta.dirname, '../../infra/migrations');

export interface Process<Parts> extends Wired<Parts> {
  flushLogs: () => void;
}

/** Connects a gateway process to the servers that the environment names. */
export async function wireGateway(): Promise<Process<GatewayParts>> {
  const config = loadConfig(undefined, GATEWAY_NEEDS);
  const { log, flush } = createLogger('gateway', config.logLevel);
  const { parts, close } = await connect(config, log, 'gateway');
  const cookieSecret = needed(config.cookieSecret);
  return { parts: { ...parts, config: { ...config, cookieSecret } }, close, flushLogs: flush };
}

/** Connects a service process, and brings the schema up to date first. */
export async function wireService(name: string): Promise<Process<ServiceParts>> {
  const config = loadConfig(undefined, SERVICE_NEEDS);
  const { log, flush } = createLogger(name, config.logLevel);
  const url = needed(config.pgUrl);
  await migrate(url, { directory: MIGRATIONS, log });
  const { parts, close } = await connect(config, log, name);
  const lost = createSignal();
  const sql = openDatabase(url, {
    log,
    maxConnections: DATABASE_CONNECTIONS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    refusals: parts.refusals,
    onLost: lost.tell,
  });
  const closing = new AsyncDisposableStack();
  closing.defer(() => sql.end({ timeout: 2 }));
  closing.defer(close);
  return {
    parts: { ...parts, sql, onDatabaseLost: lost.listen },
    close: () => closing.disposeAsync(),
    flushLogs: flush,
  };
}

async function connect(config: Config, log: Logger, name: string): Promise<Wired<CommonParts>> {
  const [bus, blobs, cache] = await Promise.all([
    createNatsBus({ url: needed(config.natsUrl), name, minPayloadBytes: BUS_PAYLOAD_BYTES, log }),
    createS3BlobStore(needed(config.s3)),
    createRedisCache({ url: needed(config.redisUrl), log }),
  ]);
  const events = createNatsEventStream({
    url: needed(config.natsUrl),
    name,
    stream: ACCESS_EVENT_STREAM,
    log,
  });
  const refusals = createRefusals(log);
  // From the last to the first, each whether or not the others could be closed.
  const closing = new AsyncDisposableStack();
  for (const part of [blobs, cache, bus, events]) closing.defer(() => part.close());
  return {
    parts: {
      config,
      bus: boundBus(bus, BUS_BOUNDS, refusals),
      ...{ blobs, cache, events, clock: systemClock, log, refusals },
    },
    close: () => closing.disposeAsync(),
  };
}

/** `loadConfig` has checked it; the type does not know. */
function needed<T>(value: T | null): T {
  if (value === null) throw new Error('a required setting is missing');
  return value;
}
