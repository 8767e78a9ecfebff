import type { Clock } from '../../shared/clock.ts';
import type { Database } from '../../shared/items/sql.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Cache } from '../../shared/ports/cache.ts';

/** What the operations and passes of this service work with. */
export interface AnalyticsDependencies {
  sql: Database;
  cache: Cache;
  clock: Clock;
  log: Logger;
  /** Entries of the access log are kept for so many days. */
  logRetentionDays: number;
}

/** What those parts work with that have to do with the access log alone. */
export type AccessLogDependencies = Pick<AnalyticsDependencies, 'sql' | 'clock' | 'log' | 'logRetentionDays'>;
