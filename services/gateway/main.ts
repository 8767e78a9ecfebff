import { runProcess, stopOnSignal } from '../../shared/run-process.ts';
import { wireGateway } from '../../shared/wiring/distributed.ts';
import { startGateway } from './server.ts';

await runProcess(async () => {
  const { deps, close, flushLogs } = await wireGateway();
  const gateway = await startGateway(deps);
  deps.log.info({ port: gateway.port }, 'gateway is ready');
  const steps = () => [
    { name: 'gateway', stop: () => gateway.stop() },
    { name: 'connections', stop: close },
  ];
  stopOnSignal(deps.log, flushLogs, steps, { drainMs: deps.config.drainMs });
});
