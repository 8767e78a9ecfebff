import { call } from '../../shared/contracts/call.ts';
import { reserveBlobs } from '../../shared/contracts/content.ts';
import { errors } from '../../shared/errors.ts';
import { newRequestId } from '../../shared/ids.ts';
import { createBlobKeyPool } from '../../shared/items/blob-key-pool.ts';
import { createMetrics } from '../../shared/metrics.ts';
import type { GatewayParts } from '../../shared/wiring/parts.ts';
import { createAdminAccess } from './access/admin-access.ts';
import { createPasswords } from './access/passwords.ts';
import { createReadAccess } from './access/read-access.ts';
import { createUnlockCookies } from './access/unlock-cookie.ts';
import { createAccessEvents } from './access-events.ts';
import { createApp } from './app.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { createFrontDoor } from './front-door.ts';
import { createMemoryBudget } from './intake/memory-budget.ts';
import { diskRoomOf } from './intake/site/spool-upload.ts';
import { createSpool } from './intake/spool.ts';
import { createLimits } from './limits.ts';
import { createGatewayMetrics } from './metrics.ts';
import { createByteCache } from './resolve/byte-cache.ts';
import { createContentReader } from './resolve/content-reader.ts';
import { createPageViews } from './resolve/page-views.ts';
import { createResponders } from './resolve/responders.ts';
import { createRouteLookup } from './resolve/route-lookup.ts';
import { createSiteIndexes } from './resolve/site-indexes.ts';
import { createWholeBodies } from './resolve/whole-bodies.ts';

/** Most bytes of bodies held in memory at once; more uploads wait, then get 503. */
const INTAKE_BUDGET_BYTES = 256 * 1_048_576;

/** So many of the largest sites may be on their way in at once: a quarter of the room, a client's share, holds one. */
const LARGEST_UPLOADS_ON_DISK = 4;

/** Above every limit of our own: Bun answers what is over its own limit itself, without our error shape. */
const BUN_BODY_LIMIT_BYTES = Number.MAX_SAFE_INTEGER;

/**
 * Longest a stop waits for requests under way, in ms: below the limit of the whole stop, so that one slow upload does
 * not cost the steps that follow.
 */
const DRAIN_LIMIT_MS = 8_000;

export interface RunningGateway {
  port: number;
  /** Takes no new requests, finishes those under way as far as they end soon. */
  stop(): Promise<void>;
}

/** Starts answering HTTP. */
export async function startGateway(parts: GatewayParts): Promise<RunningGateway> {
  const { config, bus, blobs, cache, events, clock, log } = parts;
  const metrics = createMetrics('gateway');
  const passwords = createPasswords(cache);
  const { contentBaseUrl } = config;
  const itemsUrl = contentBaseUrl ?? config.baseUrl;
  const cookies = createUnlockCookies(config.cookieSecret, itemsUrl.startsWith('https:'));
  const reserve = (count: number) =>
    call(bus, reserveBlobs, { count }, { requestId: newRequestId(), deadline: Date.now() + 5_000 });
  const bytes = createByteCache(config.cacheMaxBytes);
  const spool = await createSpool({ dir: config.uploadDir, log });
  const deps: GatewayDependencies = {
    ...parts,
    passwords,
    cookies,
    limits: createLimits(config, cache),
    lookup: createRouteLookup(bus, cache, log),
    views: createPageViews(blobs, bytes, { baseUrl: config.baseUrl, itemsUrl }),
    reader: createContentReader(blobs, bytes),
    bodies: createWholeBodies(),
    indexes: createSiteIndexes(blobs),
    spool,
    access: createReadAccess(passwords, cookies),
    admin: createAdminAccess(cache, config.adminPassword),
    budget: createMemoryBudget(INTAKE_BUDGET_BYTES),
    diskBudget: createMemoryBudget(LARGEST_UPLOADS_ON_DISK * diskRoomOf(config.siteMaxBytes)),
    blobKeys: createBlobKeyPool(reserve, clock),
    metrics: createGatewayMetrics(metrics),
    accessEvents: createAccessEvents({ events, metrics, log }),
  };
  // The API answers on the service's own host, also where short URLs have another.
  const app = createApp(deps, createResponders(deps, false), metrics);
  const frontDoor = createFrontDoor(deps, createResponders(deps, contentBaseUrl !== null).byKind, app);
  const server = Bun.serve({
    hostname: config.host,
    port: config.port,
    maxRequestBodySize: BUN_BODY_LIMIT_BYTES,
    idleTimeout: 60,
    fetch: (request, bunServer) => frontDoor.answer(request, bunServer),
    error(error) {
      log.error({ error }, 'a request failed outside its own handling');
      return Response.json({ code: 'INTERNAL', message: errors.internal(error).message }, { status: 500 });
    },
  });

  return {
    port: server.port ?? config.port,
    async stop() {
      const closed = server.stop();
      const limit = performance.now() + DRAIN_LIMIT_MS;
      while (deps.metrics.underWay > 0 || server.pendingRequests > 0) {
        if (performance.now() > limit) {
          log.warn({ underWay: deps.metrics.underWay }, 'requests that did not end in time are cut off');
          break;
        }
        await Bun.sleep(10);
      }
      // What is left are idle keep-alive connections.
      await server.stop(true);
      await closed;
      await deps.accessEvents.stop();
      await spool.close();
    },
  };
}
