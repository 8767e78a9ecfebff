import { observeEventLoopLag } from '../event-loop-lag.ts';
import { createMetrics } from '../metrics.ts';
import { type OperationsServer, startOperationsServer } from '../operations-server.ts';
import type { Dependencies } from '../readiness.ts';
import { runProcess, stopOnSignal } from '../run-process.ts';
import { countMessages, countRequests } from '../work-metrics.ts';
import type { RunningService, ServiceDependencies } from './dependencies.ts';
import { wireService } from './distributed.ts';

/** The scanner, where there is one: without it reads go on. */
const scannerOf = ({ scanning }: ServiceDependencies): Dependencies => {
  const scanner = scanning?.scanner ?? null;
  return scanner === null ? {} : { scanner: () => scanner.check() };
};

/**
 * The whole life of one service's process in the distributed mode: connect, serve, stop on a signal. `also` names what
 * the service depends on besides what all do.
 */
export async function runService(
  name: string,
  start: (deps: ServiceDependencies) => Promise<RunningService>,
  also: (deps: ServiceDependencies) => Dependencies = () => ({}),
): Promise<void> {
  await runProcess(async () => {
    const { deps, close, flushLogs } = await wireService(name);
    const { bus, events, blobs, cache, sql, log } = deps;
    const metrics = createMetrics(name);
    observeEventLoopLag(metrics);
    deps.loadShedding.observe(metrics);
    deps.scanning?.observe(metrics);
    // The first requests would otherwise wait for the database to let us in.
    await sql`select 1`;
    const starting = start({
      ...deps,
      metrics,
      bus: countRequests(bus, metrics),
      events: countMessages(events, metrics),
    });
    let leaving = false;
    let operations: OperationsServer | null = null;
    // Before the start is over: from its first moment on the bus a process that ends at once would lose requests.
    stopOnSignal(log, flushLogs, () => {
      leaving = true;
      return [
        { name, stop: async () => (await starting).stop() },
        { name: 'operations server', stop: () => operations?.stop() },
        { name: 'connections', stop: close },
      ];
    });
    const service = await starting;
    const dependencies = {
      bus: () => bus.check(),
      blobs: () => blobs.check(),
      cache: () => cache.check(),
      database: () => sql`select 1`,
      ...also(deps),
    };
    try {
      operations = startOperationsServer(deps.config, metrics, dependencies, {
        isLeaving: () => leaving,
        mayBeAway: scannerOf(deps),
      });
    } catch (error) {
      // The operations port may be taken. Requests that have arrived meanwhile are still answered.
      await service.stop();
      await close();
      throw error;
    }
    log.info({ port: operations.port }, `${name} is ready`);
  });
}
