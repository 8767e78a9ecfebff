import { createMetrics } from '../../shared/metrics.ts';
import { startOperationsServer } from '../../shared/operations-server.ts';
import { runProcess } from '../../shared/run-process.ts';
import { stopOnSignal } from '../../shared/shutdown.ts';
import { wireService } from '../../shared/wiring/distributed.ts';
import { startContent } from './service.ts';

await runProcess(async () => {
  const { parts, close, flushLogs } = await wireService('content');
  const content = await startContent(parts);
  const { bus, blobs, cache, sql, log } = parts;
  const operations = startOperationsServer(parts.config, createMetrics('content'), {
    bus: () => bus.check(),
    blobs: () => blobs.check(),
    cache: () => cache.check(),
    database: () => sql`select 1`,
  });
  log.info({ port: operations.port }, 'content is ready');
  stopOnSignal(log, flushLogs, () => [
    { name: 'content', stop: () => content.stop() },
    { name: 'operations server', stop: () => operations.stop() },
    { name: 'connections', stop: close },
  ]);
});
