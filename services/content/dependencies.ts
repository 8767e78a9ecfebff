import type { Clock } from '../../shared/clock.ts';
import type { BlobKeyPool } from '../../shared/items/blob-key-pool.ts';
import type { Database } from '../../shared/items/sql.ts';
import type { Logger } from '../../shared/logger.ts';
import type { BlobStore } from '../../shared/ports/blob-store.ts';
import type { Cache } from '../../shared/ports/cache.ts';
import type { Renderer } from './render/renderer.ts';

/** What the operations of this service work with. */
export interface ContentDependencies {
  sql: Database;
  blobs: BlobStore;
  cache: Cache;
  clock: Clock;
  log: Logger;
  renderer: Renderer;
  /** For blobs this service writes itself: rendered views. */
  blobKeys: BlobKeyPool;
  /** Says that the cache missed a change, so that it is told again soon. */
  announcementMissed(): void;
  /** Milliseconds in a day of a time to live. */
  ttlDayMs: number;
  /** Milliseconds a blob without an item is kept. */
  blobGraceMs: number;
}
