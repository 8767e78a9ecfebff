import type { BlobKeyPool } from '../../shared/items/blob-key-pool.ts';
import type { GatewayParts } from '../../shared/wiring/parts.ts';
import type { AdminAccess } from './access/admin-access.ts';
import type { OwnViews } from './access/own-views.ts';
import type { Passwords } from './access/passwords.ts';
import type { ReadAccess } from './access/read-access.ts';
import type { UnlockCookies } from './access/unlock-cookie.ts';
import type { UnlockForms } from './access/unlock-form.ts';
import type { AccessEvents } from './access-events.ts';
import type { FailureLog } from './failure-log.ts';
import type { FairBudget } from './fair-budget.ts';
import type { MemoryBudget } from './intake/memory-budget.ts';
import type { Spool } from './intake/spool.ts';
import type { Limits } from './limits.ts';
import type { GatewayMetrics } from './metrics.ts';
import type { ContentReader } from './resolve/content-reader.ts';
import type { PageViews } from './resolve/page-views.ts';
import type { RouteLookup } from './resolve/route-lookup.ts';
import type { SiteIndexes } from './resolve/site-indexes.ts';
import type { WholeBodies } from './resolve/whole-bodies.ts';

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
