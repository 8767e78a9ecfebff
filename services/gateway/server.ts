import type { Server } from 'bun';
import { call } from '../../shared/contracts/call.ts';
import { reserveBlobs } from '../../shared/contracts/content.ts';
import { reportProcess } from '../../shared/contracts/server-state.ts';
import { steadyNow } from '../../shared/deadline.ts';
import { errors } from '../../shared/errors.ts';
import { observeEventLoopLag } from '../../shared/event-loop-lag.ts';
import { newRequestId } from '../../shared/ids.ts';
import { createBlobKeyPool } from '../../shared/items/blob-key-pool.ts';
import { listenAt } from '../../shared/listen.ts';
import { createMetrics } from '../../shared/metrics.ts';
import { LONG_READS } from '../../shared/ports/blob-store.ts';
import { startHeartbeat } from '../../shared/processes/heartbeat.ts';
import { observeCacheMemory, observeDisk } from '../../shared/store-metrics.ts';
import type { GatewayProcessDependencies } from '../../shared/wiring/dependencies.ts';
import { createAccessEvents } from './access-log/access-events.ts';
import { createBlocklist } from './admission/blocklist.ts';
import { createFairBudget } from './admission/fair-budget.ts';
import { createMemoryBudget } from './admission/memory-budget.ts';
import { createGatewayMetrics } from './admission/metrics.ts';
import { createLimits } from './admission/rate-limits.ts';
import { createApp } from './app.ts';
import { createAdminAccess } from './auth/admin-password.ts';
import { createAdminSessions } from './auth/admin-session.ts';
import { createPasswords } from './auth/passwords.ts';
import { createOwnViews } from './auth/signed-marks.ts';
import { createUnlockForms } from './auth/unlock-form.ts';
import { createEntryTickets, createUnlockCookies } from './auth/unlock-proofs.ts';
import { closeServer } from './close-server.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { createFailureLog } from './error-response.ts';
import { createHotReads } from './hot-reads/hot-reads.ts';
import { createPreparedAnswers, PREPARED_SHARE } from './hot-reads/prepared-answers.ts';
import { createItemHosts } from './http/hosts.ts';
import { createByteCache } from './items/byte-cache.ts';
import { createContentReader } from './items/content-reader.ts';
import { createAnswerWatch, createHeldAnswers } from './items/held-answers.ts';
import { createDomainLookup, createLabelLookup } from './items/host-lookup.ts';
import { createItemLookup } from './items/item-lookup.ts';
import { createLongReads, LEAST_PACE } from './items/long-reads.ts';
import { createRenderedPages } from './items/rendered-pages.ts';
import { createTemporaryCopies } from './items/temporary-copies.ts';
import { createWholeBodies } from './items/whole-bodies.ts';
import { createHotPuts } from './kinds/kv/hot-puts/hot-puts.ts';
import { createPutForms } from './kinds/kv/hot-puts/plain-puts.ts';
import { createSiteIndexes } from './kinds/sites/indexes.ts';
import { createSpool } from './kinds/sites/spool.ts';
import { diskRoomOf } from './kinds/sites/spool-upload.ts';
import { createResponders } from './kinds.ts';
import { createLive } from './live/live.ts';
import { createRequestHandler } from './request-handler.ts';

/** Uploads of the largest possible site that the disk budget holds at once; the last of them in its reserve. */
const LARGEST_UPLOADS_ON_DISK = 4;

/**
 * Most requests under way at once. Bodies, uploads and long reads have limits of their own; this one bounds the requests
 * that wait for those, for Redis and for S3.
 */
const MOST_UNDER_WAY = 5_000;

/** Bytes of answers of their own that readers have not taken. Who finds no room is refused before anything is done. */
const UNSENT_BYTES = 128 * 1_048_576;

/** Bytes of temporary copies of blobs on their way to readers. Who finds no room gets a stream. */
const COPIES_BYTES = 512 * 1_048_576;

/** Above every limit of our own: Bun answers what is over its own limit itself, without our error shape. */
const BUN_BODY_LIMIT_BYTES = Number.MAX_SAFE_INTEGER;

export interface RunningGateway {
  port: number;
  /**
   * Drains the gateway. The health check reports it as not ready; requests are answered for DRAIN_SECONDS, each with
   * `Connection: close`. Then no new requests are taken, and those under way are finished within a time limit.
   */
  stop(): Promise<void>;
}

/** Starts answering HTTP. */
export async function startGateway(wired: GatewayProcessDependencies): Promise<RunningGateway> {
  const { config, bus, blobs, cache, events, clock, log } = wired;
  const metrics = createMetrics('gateway');
  observeEventLoopLag(metrics);
  wired.loadShedding.observe(metrics);
  wired.scanning?.observe(metrics);
  observeCacheMemory(metrics, cache);
  observeDisk(metrics, config.uploadDir);
  const passwords = createPasswords(cache);
  const { contentBaseUrl } = config;
  const itemsUrl = contentBaseUrl ?? config.baseUrl;
  const cookies = createUnlockCookies(config.cookieSecret);
  const soon = () => ({ requestId: newRequestId(), deadline: steadyNow() + 5_000 });
  const reserve = (count: number) => call(bus, reserveBlobs, { count }, soon());
  const bytes = createByteCache((1 - PREPARED_SHARE) * config.cacheMaxBytes);
  const spool = await createSpool({ dir: config.uploadDir, log });
  const refuseUpload = () => wired.loadShedding.shed('uploads');
  const largestSite = diskRoomOf(config.siteMaxBytes);
  const counted = createGatewayMetrics(metrics);
  const refuseLongRead = () => wired.loadShedding.shed('long-reads');
  const longReads = createLongReads({
    places: createFairBudget({ total: LONG_READS.most, refuse: refuseLongRead }),
    onSlow: () => counted.slowReaderClosed(),
  });
  const copies = createTemporaryCopies({
    room: createFairBudget({ total: COPIES_BYTES, refuse: refuseLongRead }),
    openFile: () => spool.unnamed(),
  });
  const answers = createAnswerWatch({ pace: LEAST_PACE, onSlow: () => counted.slowReaderClosed() });
  const unsent = createFairBudget({ total: UNSENT_BYTES, refuse: refuseLongRead });
  const heldAnswers = createHeldAnswers(unsent, answers);
  const live = createLive({
    ...{ bus, clock, log, metrics, loadShedding: wired.loadShedding },
    watchersPerClient: config.watchersPerClient,
    onSlow: () => counted.slowReaderClosed(),
  });
  const blocklist = createBlocklist(bus, log);
  const adminSecrets = { password: config.adminPassword, cookieSecret: config.cookieSecret };
  const adminSessions = createAdminSessions(bus, adminSecrets);
  let leaving = false;
  const deps: GatewayDependencies = {
    ...wired,
    live,
    passwords,
    cookies,
    entryTickets: createEntryTickets(config.cookieSecret, cache),
    itemHosts: createItemHosts(config.itemHosts),
    labels: createLabelLookup(bus, cache),
    domains: createDomainLookup(config.customDomains, bus, cache),
    ownViews: createOwnViews(config.cookieSecret),
    unlockForms: createUnlockForms(config.cookieSecret),
    blocklist,
    limits: createLimits(config, cache, blocklist),
    lookup: createItemLookup(bus, cache, log),
    views: createRenderedPages(blobs, bytes, { baseUrl: config.baseUrl, itemsUrl }),
    reader: createContentReader(blobs, bytes, longReads, copies, heldAnswers),
    heldAnswers,
    bodies: createWholeBodies(),
    indexes: createSiteIndexes(blobs),
    spool,
    adminSessions,
    admin: createAdminAccess(cache, adminSessions, adminSecrets),
    budget: createMemoryBudget(refuseUpload),
    answers,
    unsent,
    diskBudget: createFairBudget({
      total: LARGEST_UPLOADS_ON_DISK * largestSite,
      reserve: largestSite,
      refuse: refuseUpload,
    }),
    places: createFairBudget({ total: MOST_UNDER_WAY, refuse: () => wired.loadShedding.shed('requests') }),
    blobKeys: createBlobKeyPool(reserve, clock),
    metrics: counted,
    accessEvents: createAccessEvents({ events, metrics, log, maxBytesPerDay: config.logMaxBytesPerDay }),
    failures: createFailureLog(log),
    isLeaving: () => leaving,
  };
  // The API answers on the service's own host, also where short URLs have another.
  const app = createApp(deps, createResponders(deps, false), metrics);
  const pages = createPreparedAnswers(config, deps.bodies);
  const putForms = createPutForms(config);
  const requestHandler = createRequestHandler(
    deps,
    createResponders(deps, contentBaseUrl !== null).byKind,
    app,
    pages,
    putForms,
  );
  const hotPuts = createHotPuts(deps, putForms, requestHandler.answer);
  const hotReads = createHotReads(deps, pages, requestHandler.answer);
  const listen = (port: number, reusePort: boolean): Server<undefined> =>
    Bun.serve({
      hostname: config.host,
      port,
      reusePort,
      maxRequestBodySize: BUN_BODY_LIMIT_BYTES,
      idleTimeout: 60,
      fetch: (request, bunServer) =>
        leaving
          ? lastAnswer(request, bunServer)
          : (hotReads.take(request, bunServer) ??
            hotPuts.take(request, bunServer) ??
            requestHandler.answer(request, bunServer)),
      error(error) {
        log.error({ error }, 'a request failed outside its own handling');
        return Response.json({ code: 'INTERNAL', message: errors.internal(error).message }, { status: 500 });
      },
    });
  // Its own port comes first: health checks and metrics ask one process.
  const { host, port, sharedPort } = config;
  const own = listenAt({ host, port }, () => listen(port, false));
  const servers = [own];
  if (sharedPort !== 0) {
    const shared = { host, port: sharedPort, setting: 'SHARED_PORT' } as const;
    servers.push(listenAt(shared, () => listen(sharedPort, true)));
  }

  /**
   * Answers with `Connection: close`: a client that kept the connection could lose a request when the gateway closes
   * it.
   */
  async function lastAnswer(request: Request, bunServer: Server<undefined>): Promise<Response> {
    const answer = await requestHandler.answer(request, bunServer);
    answer.headers.set('Connection', 'close');
    return answer;
  }

  const heartbeat = startHeartbeat({
    ...{ service: 'gateway', clock, log },
    send: (process) => call(bus, reportProcess, { process, leaves: false }, soon()),
    leave: (process) => call(bus, reportProcess, { process, leaves: true }, soon()),
  });

  return {
    port: own.port ?? config.port,
    async stop() {
      const { drainMs } = config;
      leaving = true;
      await heartbeat.stop();
      await live.leave();
      await Bun.sleep(drainMs);
      const closing = { underWay: () => deps.metrics.underWay, gently: drainMs > 0, log };
      await Promise.all(servers.map((server) => closeServer(server, closing)));
      blocklist.stop();
      await deps.accessEvents.stop();
      await spool.close();
    },
  };
}
