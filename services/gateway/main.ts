import { runProcess } from '../../shared/run-process.ts';
import { stopOnSignal } from '../../shared/shutdown.ts';
import { wireGateway } from '../../shared/wiring/distributed.ts';
import { startGateway } from './server.ts';

await runProcess(async () => {
  const { parts, close, flushLogs } = await wireGateway();
  const gateway = await startGateway(parts);
  parts.log.info({ port: gateway.port }, 'gateway is ready');
  const steps = () => [
    { name: 'gateway', stop: () => gateway.stop() },
    { name: 'connections', stop: close },
  ];
  stopOnSignal(parts.log, flushLogs, steps, { drainMs: parts.config.drainMs });
});
