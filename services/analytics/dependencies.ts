import type { Clock } from '../../shared/clock.ts';
import type { ItemTurns } from '../../shared/items/item-turns.ts';
import type { Database } from '../../shared/items/sql.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Outbox } from '../../shared/notifications/outbox.ts';
import type { Bus } from '../../shared/ports/bus.ts';
import type { Cache } from '../../shared/ports/cache.ts';

/** Dependencies of the operations and background passes of this service. */
export interface AnalyticsDependencies {
  sql: Database;
  /** Opens a connection for statements that take long; whoever opens it ends it. */
  openMaintenance(): Database;
  turns: ItemTurns;
  cache: Cache;
  clock: Clock;
  log: Logger;
  /** Brings the next repair pass forward. */
  announcementMissed(): void;
  /** Gateways hear over it of items that reports have hidden. */
  bus: Pick<Bus, 'publish'>;
  /** Messages to the operator. */
  outbox: Outbox;
  /** Independent reports that hide an item; 0: none do. */
  reportsToHide: number;
  /** Entries of the access log are kept for so many days. */
  logRetentionDays: number;
}

/** Dependencies of the operations and passes that only use the access log. */
export type AccessLogDependencies = Pick<
  AnalyticsDependencies,
  'sql' | 'openMaintenance' | 'clock' | 'log' | 'logRetentionDays'
>;
