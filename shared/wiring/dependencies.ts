import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { BusBounds } from '../contracts/bounded-bus.ts';
import type { ItemTurns } from '../items/item-turns.ts';
import type { Database } from '../items/sql.ts';
import type { LoadShedding } from '../load-shedding.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { Bus } from '../ports/bus.ts';
import type { Cache } from '../ports/cache.ts';
import type { EventStream } from '../ports/event-stream.ts';
import type { Scanning } from '../scanning/scanning.ts';

/** Dependencies of every process. */
export interface CommonDependencies {
  config: Config;
  bus: Bus;
  blobs: BlobStore;
  cache: Cache;
  /** Answered requests on their way from the gateways to the access log. */
  events: EventStream;
  clock: Clock;
  log: Logger;
  loadShedding: LoadShedding;
  /** Looks through content; `null`: nothing does, or another process. */
  scanning: Scanning | null;
}

/** Dependencies of a gateway: it has no database. */
export interface GatewayProcessDependencies extends CommonDependencies {
  config: Config & { cookieSecret: string };
}

/** Dependencies of a service: it signs nothing. */
export interface ServiceDependencies extends CommonDependencies {
  sql: Database;
  /** Opens a connection for statements that take long; whoever opens it ends it. */
  openMaintenance(): Database;
  turns: ItemTurns;
  /** Calls back when a connection to the database was lost: it may have been started again, and have gone back. */
  onDatabaseLost(listener: () => void): void;
  /** Metrics of the process, where it has its own. */
  metrics?: Metrics;
}

/** Tells all who have asked to be told. */
export interface Signal {
  tell(): void;
  listen(listener: () => void): void;
}

export function createSignal(): Signal {
  const listeners: Array<() => void> = [];
  return {
    tell() {
      for (const listener of listeners) listener();
    },
    listen: (listener) => void listeners.push(listener),
  };
}

/** Dependencies of gateway and services in one process. */
export type EmbeddedDependencies = GatewayProcessDependencies & ServiceDependencies;

/** A service that is on the bus. */
export interface RunningService {
  /** Takes no new work, finishes what is under way. */
  stop(): Promise<void>;
}

/** Dependencies together with how to give them back. */
export interface Wired<Dependencies> {
  deps: Dependencies;
  /** Closes connections; nothing may be under way any more. */
  close(): Promise<void>;
}

/** Every process and the NATS server must be able to carry this: a KV value of 1 MB as JSON, escapes included. */
export const BUS_PAYLOAD_BYTES = 8 * 1_048_576;

/**
 * The most that a process requests and performs over the bus at once; a burst of all clients of a gateway is far below.
 */
export const BUS_BOUNDS: BusBounds = { requests: 1_000, operations: 1_000, operationBytes: 128 * 1_048_576 };

/** Connections a service process holds to the database at the most. */
export const DATABASE_CONNECTIONS = 16;

/** Longest a statement may run, in ms. */
export const STATEMENT_TIMEOUT_MS = 5_000;

/** The stream of access events on the NATS server. */
export const ACCESS_EVENT_STREAM = 'perch-access-events';
