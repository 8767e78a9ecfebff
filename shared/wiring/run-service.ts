import { createMetrics } from '../metrics.ts';
import { startOperationsServer } from '../operations-server.ts';
import type { Dependencies } from '../readiness.ts';
import { runProcess } from '../run-process.ts';
import { stopOnSignal } from '../shutdown.ts';
import { wireService } from './distributed.ts';
import type { RunningService, ServiceParts } from './parts.ts';

/**
 * The whole life of one service's process in the distributed mode: connect, serve, stop on a signal. `also` names what
 * the service depends on besides what all do.
 */
export async function runService(
  name: string,
  start: (parts: ServiceParts) => Promise<RunningService>,
  also: (parts: ServiceParts) => Dependencies = () => ({}),
): Promise<void> {
  await runProcess(async () => {
    const { parts, close, flushLogs } = await wireService(name);
    const service = await start(parts);
    const { bus, blobs, cache, sql, log } = parts;
    const operations = startOperationsServer(parts.config, createMetrics(name), {
      bus: () => bus.check(),
      blobs: () => blobs.check(),
      cache: () => cache.check(),
      database: () => sql`select 1`,
      ...also(parts),
    });
    log.info({ port: operations.port }, `${name} is ready`);
    stopOnSignal(log, flushLogs, () => [
      { name, stop: () => service.stop() },
      { name: 'operations server', stop: () => operations.stop() },
      { name: 'connections', stop: close },
    ]);
  });
}
