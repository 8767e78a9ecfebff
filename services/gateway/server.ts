import type { Server } from 'bun';
import { call } from '../../shared/contracts/call.ts';
import { reportProcess } from '../../shared/contracts/server-state.ts';
import { steadyNow } from '../../shared/deadline.ts';
import { errors } from '../../shared/errors.ts';
import { observeEventLoopLag } from '../../shared/event-loop-lag.ts';
import { newRequestId } from '../../shared/ids.ts';
import { listenAt } from '../../shared/listen.ts';
import type { Logger } from '../../shared/logger.ts';
import { createMetrics } from '../../shared/metrics.ts';
import { startHeartbeat } from '../../shared/processes/heartbeat.ts';
import { observeCacheMemory, observeDisk } from '../../shared/store-metrics.ts';
import type { GatewayProcessDependencies } from '../../shared/wiring/dependencies.ts';
import { createApp } from './app.ts';
import { createDependencies } from './dependencies.ts';
import { createHotReads } from './hot-reads/hot-reads.ts';
import { createPreparedAnswers } from './hot-reads/prepared-answers.ts';
import { createHotPuts } from './kinds/kv/hot-puts/hot-puts.ts';
import { createPreparedPutAnswers } from './kinds/kv/hot-puts/prepared-put-answers.ts';
import { createResponders } from './kinds.ts';
import { createRequestHandler } from './request-handler.ts';

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
  const { config, bus, cache, clock, log } = wired;
  const metrics = createMetrics('gateway');
  observeEventLoopLag(metrics);
  wired.loadShedding.observe(metrics);
  wired.scanning?.observe(metrics);
  observeCacheMemory(metrics, cache);
  observeDisk(metrics, config.uploadDir);
  let leaving = false;
  const deps = await createDependencies(wired, metrics, () => leaving);
  // The API answers on the service's own host, also where short URLs have another.
  const app = createApp(deps, createResponders(deps, false), metrics);
  const pages = createPreparedAnswers(config, deps.bodies);
  const putAnswers = createPreparedPutAnswers(config);
  const requestHandler = createRequestHandler(
    deps,
    createResponders(deps, config.contentBaseUrl !== null).byKind,
    app,
    pages,
    putAnswers,
  );
  const hotPuts = createHotPuts(deps, putAnswers, requestHandler.answer);
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

  const heartbeatContext = () => ({ requestId: newRequestId(), deadline: steadyNow() + 5_000 });
  const heartbeat = startHeartbeat({
    service: 'gateway',
    clock,
    log,
    send: (process) => call(bus, reportProcess, { process, leaves: false }, heartbeatContext()),
    leave: (process) => call(bus, reportProcess, { process, leaves: true }, heartbeatContext()),
  });

  return {
    port: own.port ?? config.port,
    async stop() {
      const { drainMs } = config;
      leaving = true;
      await heartbeat.stop();
      await deps.live.leave();
      await Bun.sleep(drainMs);
      const closing = { underWay: () => deps.metrics.underWay, gently: drainMs > 0, log };
      await Promise.all(servers.map((server) => closeServer(server, closing)));
      deps.blocklist.stop();
      await deps.accessEvents.stop();
      await deps.spool.close();
    },
  };
}

/**
 * Longest a stop waits for requests under way, in ms: below the limit of the whole stop, so that one slow upload does
 * not cost the steps that follow.
 */
const UNDER_WAY_LIMIT_MS = 8_000;

/** Longest wait for the rest of a request's head, in ms: such a request does not count as under way yet. */
const LATE_REQUEST_MS = 250;

const POLL_MS = 10;

interface CloseOptions {
  underWay(): number;
  /** Whether clients must not notice the stop: then requests whose head is still arriving are waited for. */
  gently: boolean;
  log: Logger;
}

/**
 * Takes no new connections, waits up to `UNDER_WAY_LIMIT_MS` for the requests under way, then closes all connections. Bun
 * itself closes idle keep-alive connections at once, those without a request so far when they send one, and the others
 * after their answer.
 */
export async function closeServer(
  server: Server<unknown>,
  { underWay, gently, log }: CloseOptions,
): Promise<void> {
  const closed = server.stop();
  if (gently) await Bun.sleep(LATE_REQUEST_MS);
  const limit = performance.now() + UNDER_WAY_LIMIT_MS;
  while (underWay() > 0 || server.pendingRequests > 0) {
    if (performance.now() > limit) {
      log.warn({ underWay: underWay() }, 'requests that did not end in time are cut off');
      break;
    }
    await Bun.sleep(POLL_MS);
  }
  await server.stop(true);
  await closed;
}
