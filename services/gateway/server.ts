import { call } from '../../shared/contracts/call.ts';
import { reserveBlobs } from '../../shared/contracts/content.ts';
import { errors } from '../../shared/errors.ts';
import { newRequestId } from '../../shared/ids.ts';
import { createBlobKeyPool } from '../../shared/items/blob-key-pool.ts';
import { createMetrics } from '../../shared/metrics.ts';
import type { GatewayParts } from '../../shared/wiring/parts.ts';
import { createPasswords } from './access/passwords.ts';
import { createReadAccess } from './access/read-access.ts';
import { createUnlockCookies } from './access/unlock-cookie.ts';
import { createApp } from './app.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { createFrontDoor } from './front-door.ts';
import { createMemoryBudget } from './intake/memory-budget.ts';
import { createLimits } from './limits.ts';
import { createGatewayMetrics } from './metrics.ts';
import { createPageResponder } from './resolve/page-response.ts';
import { createPageViews } from './resolve/page-views.ts';
import { createRouteLookup } from './resolve/route-lookup.ts';

/** Most bytes of bodies held in memory at once; more uploads wait, then get 503. */
const INTAKE_BUDGET_BYTES = 256 * 1_048_576;

/** Above every limit of our own: Bun answers what is over its own limit itself, without our error shape. */
const BUN_BODY_LIMIT_BYTES = 1_073_741_824;

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
export function startGateway(parts: GatewayParts): RunningGateway {
  const { config, bus, blobs, cache, clock, log } = parts;
  const metrics = createMetrics('gateway');
  const passwords = createPasswords(cache);
  const { contentBaseUrl, showTopBarDefault } = config;
  const itemsUrl = contentBaseUrl ?? config.baseUrl;
  const cookies = createUnlockCookies(config.cookieSecret, itemsUrl.startsWith('https:'));
  const reserve = (count: number) =>
    call(bus, reserveBlobs, { count }, { requestId: newRequestId(), deadline: Date.now() + 5_000 });
  const deps: GatewayDependencies = {
    ...parts,
    passwords,
    cookies,
    limits: createLimits(config, cache),
    lookup: createRouteLookup(bus, cache, log),
    views: createPageViews(blobs, { maxBytes: config.cacheMaxBytes, baseUrl: config.baseUrl }),
    access: createReadAccess(passwords, cookies),
    budget: createMemoryBudget(INTAKE_BUDGET_BYTES),
    blobKeys: createBlobKeyPool(reserve, clock),
    metrics: createGatewayMetrics(metrics),
  };
  const respond = (separateHost: boolean) =>
    createPageResponder(deps.views, { showTopBarDefault, separateHost });
  // The API answers on the service's own host, also where short URLs have another.
  const app = createApp(deps, respond(false), metrics);
  const frontDoor = createFrontDoor(deps, respond(contentBaseUrl !== null), app);
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
    },
  };
}
