import { type Config, loadConfig } from '../../shared/config.ts';
import { tryPort } from '../../shared/listen.ts';
import { createLogger, type Logger } from '../../shared/logger.ts';
import { runProcess, stopOnSignal } from '../../shared/run-process.ts';
import { wireEmbedded } from '../../shared/wiring/embedded.ts';
import { startAnalytics } from '../analytics/service.ts';
import { startContent } from '../content/service.ts';
import { startGateway } from '../gateway/server.ts';
import { startKv } from '../kv/service.ts';
import { startSite } from '../site/service.ts';

/** Every service in one process, with nothing to install: for a laptop, a demo and a small host. */
await runProcess(async () => {
  const config = loadConfig();
  // Before a database is made for nothing.
  tryPort(config);
  const { log, flush } = createLogger('perch', config.logLevel);
  const starting = start(config, log);
  // A signal during the start waits for its end and then stops all of it: the database server would outlive us.
  const steps = () => [{ name: 'all services', stop: async () => (await starting).running.disposeAsync() }];
  stopOnSignal(log, flush, steps, { drainMs: config.drainMs });
  const { port } = await starting;
  process.stderr.write(
    `Perch is ready on ${config.baseUrl ?? `http://localhost:${port}`}: all services in one process, data in ${config.dataDir}.\n` +
      'For more than one machine see "npm run cluster" in the README.\n',
  );
  log.info({ port }, 'perch is ready');
});

/** Starts one after the other; disposing of `running` stops in the opposite order, gateway first. */
async function start(config: Config, log: Logger): Promise<{ port: number; running: AsyncDisposableStack }> {
  const running = new AsyncDisposableStack();
  try {
    const { deps, close } = await wireEmbedded(config, log);
    running.defer(close);
    for (const startService of [startContent, startKv, startSite, startAnalytics]) {
      const service = await startService(deps);
      running.defer(() => service.stop());
    }
    const gateway = await startGateway(deps);
    running.defer(() => gateway.stop());
    return { port: gateway.port, running };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}
