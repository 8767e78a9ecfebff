import type { Metrics } from '../../shared/metrics.ts';
import { LONG_READS } from '../../shared/ports/blob-store.ts';
import type { GatewayProcessDependencies } from '../../shared/wiring/dependencies.ts';
import { createAccessEvents } from './access-log/access-events.ts';
import { createBlocklist } from './admission/blocklist.ts';
import { createFairBudget, type FairBudget } from './admission/fair-budget.ts';
import { createMemoryBudget } from './admission/memory-budget.ts';
import { createLimits } from './admission/rate-limits.ts';
import { createAdminAccess } from './auth/admin-password.ts';
import { createAdminSessions } from './auth/admin-session.ts';
import { createPasswords } from './auth/passwords.ts';
import { createOwnViews } from './auth/signed-tokens.ts';
import { createUnlockForms } from './auth/unlock-form.ts';
import { createEntryTickets, createUnlockCookies } from './auth/unlock-proofs.ts';
import { createFailureLog, type FailureLog } from './error-response.ts';
import type { AdminDependencies } from './features/admin/admitted.ts';
import type { HealthDependencies } from './features/health/routes.ts';
import type { HotDependencies } from './hot-reads/hot-reads.ts';
import { PREPARED_SHARE } from './hot-reads/prepared-answers.ts';
import { createItemHosts } from './http/hosts.ts';
import { type AnswerWatch, createAnswerWatch } from './items/answer-watch.ts';
import { createByteCache } from './items/byte-cache.ts';
import { createContentReader } from './items/content-reader.ts';
import { createDomainLookup, createLabelLookup } from './items/host-lookup.ts';
import { createItemLookup } from './items/item-lookup.ts';
import { createLongReads, MIN_PACE } from './items/long-reads.ts';
import { createResponseBodies } from './items/response-bodies.ts';
import { createResponseMemory } from './items/response-memory.ts';
import { createSharedContents } from './items/shared-contents.ts';
import { createTemporaryCopies } from './items/temporary-copies.ts';
import type { StoreDependencies } from './kinds/kv/dependencies.ts';
import { createStoreEntries } from './kinds/kv/entries.ts';
import type { SiteDependencies } from './kinds/sites/dependencies.ts';
import { createSiteIndexes } from './kinds/sites/indexes.ts';
import { createSpool } from './kinds/sites/spool.ts';
import { diskRoomOf } from './kinds/sites/spool-upload.ts';
import { createLive } from './live/live.ts';
import { createGatewayMetrics } from './metrics.ts';
import { createRenderedPages, type PageDependencies } from './rendered-pages/rendered-pages.ts';
import { createUploadKeys } from './uploads/blob-keys.ts';

/** Uploads of the largest possible site that the disk budget holds at once; the last of them in its reserve. */
const MAX_UPLOADS_ON_DISK = 4;

/**
 * Most requests under way at once. Bodies, uploads and long reads have limits of their own; this one bounds the requests
 * that wait for those, for Redis and for S3.
 */
const MAX_UNDER_WAY = 5_000;

/** Bytes of answers that readers have not received. A reader without room is refused. */
const UNSENT_BYTES = 128 * 1_048_576;

/** Bytes of temporary copies of blobs. A reader without room gets a stream. */
const COPIES_BYTES = 512 * 1_048_576;

/** The dependencies of a gateway. Each layer and slice declares an interface of those that it takes. */
export interface GatewayDependencies
  extends SiteDependencies,
    StoreDependencies,
    AdminDependencies,
    HealthDependencies,
    PageDependencies,
    HotDependencies {
  /** Answers that hold room until their readers have them. */
  answers: AnswerWatch;
  /** Budget for bytes of answers that readers have not received. */
  unsent: FairBudget;
  failures: FailureLog;
}

/** Makes a gateway's dependencies. @param isLeaving whether the gateway is about to stop */
export async function createDependencies(
  wired: GatewayProcessDependencies,
  metrics: Metrics,
  isLeaving: () => boolean,
): Promise<GatewayDependencies> {
  const { config, bus, blobs, cache, events, clock, log, loadShedding } = wired;
  const { baseUrl, contentBaseUrl, cookieSecret } = config;
  const counted = createGatewayMetrics(metrics);
  const onSlow = () => counted.slowReaderClosed();
  const refuseUpload = () => loadShedding.shed('uploads');
  const refuseLongRead = () => loadShedding.shed('long-reads');
  const passwords = createPasswords({ cache, config, refuse: () => loadShedding.shed('passwords') });
  const cookies = createUnlockCookies(cookieSecret);
  const adminSecrets = { password: config.adminPassword, cookieSecret };
  const adminSessions = createAdminSessions(bus, adminSecrets);
  const blocklist = createBlocklist(bus, log);
  const spool = await createSpool({ dir: config.uploadDir, log });
  const largestSite = diskRoomOf(config.siteMaxBytes);
  const bytes = createByteCache((1 - PREPARED_SHARE) * config.cacheMaxBytes);
  const longReads = createLongReads({
    slots: createFairBudget({ total: LONG_READS.maxAtOnce, refuse: refuseLongRead }),
    onSlow,
  });
  const copies = createTemporaryCopies({
    room: createFairBudget({ total: COPIES_BYTES, refuse: refuseLongRead }),
    openFile: () => spool.unnamed(),
  });
  const answers = createAnswerWatch({ pace: MIN_PACE, onSlow });
  const unsent = createFairBudget({ total: UNSENT_BYTES, refuse: refuseLongRead });
  const responseMemory = createResponseMemory(unsent, answers, refuseLongRead);
  return {
    ...wired,
    passwords,
    cookies,
    blocklist,
    adminSessions,
    spool,
    metrics: counted,
    isLeaving,
    answers,
    unsent,
    responseMemory,
    live: createLive({
      bus,
      clock,
      log,
      metrics,
      loadShedding,
      onSlow,
      watchersPerClient: config.watchersPerClient,
    }),
    entryTickets: createEntryTickets(cookieSecret, cache),
    itemHosts: createItemHosts(config.itemHosts),
    labels: createLabelLookup(bus, cache),
    domains: createDomainLookup(config.customDomains, bus, cache),
    ownViews: createOwnViews(cookieSecret),
    unlockForms: createUnlockForms(cookieSecret),
    limits: createLimits(config, cache, blocklist),
    lookup: createItemLookup(bus, cache, log),
    storeEntries: createStoreEntries(bus),
    renderedPages: createRenderedPages(blobs, bytes, { baseUrl, itemsUrl: contentBaseUrl ?? baseUrl }),
    reader: createContentReader(blobs, bytes, longReads, copies, responseMemory),
    bodies: createResponseBodies({ contents: createSharedContents(unsent, answers), refuse: refuseLongRead }),
    indexes: createSiteIndexes(blobs),
    admin: createAdminAccess(cache, adminSessions, adminSecrets),
    budget: createMemoryBudget(refuseUpload),
    diskBudget: createFairBudget({
      total: MAX_UPLOADS_ON_DISK * largestSite,
      reserve: largestSite,
      refuse: refuseUpload,
    }),
    slots: createFairBudget({ total: MAX_UNDER_WAY, refuse: () => loadShedding.shed('requests') }),
    blobKeys: await createUploadKeys(wired),
    accessEvents: createAccessEvents({ events, metrics, log, maxBytesPerDay: config.logMaxBytesPerDay }),
    failures: createFailureLog(log),
  };
}
