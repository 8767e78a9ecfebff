import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Bus } from '../ports/bus.ts';
import type { Cache } from '../ports/cache.ts';
import type { ContentCheck } from './content-check.ts';
import type { Database } from './sql.ts';

/** Dependencies of the operations on items of every kind. */
export interface ItemDependencies {
  sql: Database;
  cache: Cache;
  /** Gateways hear over it what has changed. */
  bus: Pick<Bus, 'publish'>;
  clock: Clock;
  log: Logger;
  /** Says that the cache missed a change, so that it is told again soon. */
  announcementMissed(): void;
  /** Milliseconds in a day of a time to live. */
  ttlDayMs: number;
  /** Milliseconds a blob without an item is kept. */
  blobGraceMs: number;
  /** Looks through new content; absent where nothing is looked through. */
  check?: ContentCheck;
}
