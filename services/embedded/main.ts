import { loadConfig } from '../../shared/config.ts';
import { createLogger } from '../../shared/logger.ts';
import { runProcess } from '../../shared/run-process.ts';
import { stopOnSignal } from '../../shared/shutdown.ts';
import { wireEmbedded } from '../../shared/wiring/embedded.ts';
import { startContent } from '../content/service.ts';
import { startGateway } from '../gateway/server.ts';

/** Every service in one process, with nothing to install: for a laptop, a demo and a small host. */
await runProcess(async () => {
  const config = loadConfig();
  const { log, flush } = createLogger('perch', config.logLevel);
  const { parts, close } = await wireEmbedded(config, log);
  const content = await startContent(parts);
  const gateway = startGateway(parts);
  process.stderr.write(
    `Perch is ready on ${config.baseUrl}: all services in one process, data in ${config.dataDir}.\n` +
      'For more than one machine see "npm run cluster" in the README.\n',
  );
  log.info({ port: gateway.port }, 'perch is ready');
  stopOnSignal(log, flush, () => [
    { name: 'gateway', stop: () => gateway.stop() },
    { name: 'content', stop: () => content.stop() },
    { name: 'connections', stop: close },
  ]);
});
