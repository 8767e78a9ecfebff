import type { BlobKeyPool } from '../../shared/items/blob-key-pool.ts';
import type { GatewayParts } from '../../shared/wiring/parts.ts';
import type { AdminAccess } from './auth/admin-password.ts';
import type { OwnViews } from './auth/own-views.ts';
import type { Passwords } from './auth/passwords.ts';
import type { ReadAccess } from './items/read-access.ts';
import type { UnlockCookies } from './auth/unlock-cookie.ts';
import type { UnlockForms } from './auth/unlock-form.ts';
import type { AccessEvents } from './access-log/access-events.ts';
import type { FailureLog } from './access-log/failure-log.ts';
import type { FairBudget } from './admission/fair-budget.ts';
import type { MemoryBudget } from './admission/memory-budget.ts';
import type { Spool } from './kinds/sites/spool.ts';
import type { Limits } from './admission/rate-limits.ts';
import type { GatewayMetrics } from './admission/metrics.ts';
import type { ContentReader } from './items/content-reader.ts';
import type { PageViews } from './items/rendered-pages.ts';
import type { RouteLookup } from './items/item-lookup.ts';
import type { SiteIndexes } from './kinds/sites/indexes.ts';
import type { WholeBodies } from './items/whole-bodies.ts';

/** What the routes and the resolver work with. */
export interface GatewayDependencies extends GatewayParts {
  limits: Limits;
  lookup: RouteLookup;
  views: PageViews;
  reader: ContentReader;
  bodies: WholeBodies;
  indexes: SiteIndexes;
  spool: Spool;
  access: ReadAccess;
  admin: AdminAccess;
  passwords: Passwords;
  cookies: UnlockCookies;
  unlockForms: UnlockForms;
  ownViews: OwnViews;
  budget: MemoryBudget;
  /** Room for uploads on the disk, in bytes. */
  diskBudget: FairBudget;
  /** Places for requests without an answer. */
  places: FairBudget;
  blobKeys: BlobKeyPool;
  metrics: GatewayMetrics;
  accessEvents: AccessEvents;
  failures: FailureLog;
  /** Whether the process is about to stop: then others are to ask another gateway. */
  isLeaving(): boolean;
}
