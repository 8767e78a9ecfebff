import { listenAt } from './listen.ts';
import type { Metrics } from './metrics.ts';
import { createReadiness, type Dependencies, type ReadinessOptions } from './readiness.ts';

export interface OperationsServer {
  port: number;
  stop(): Promise<void>;
}

/**
 * The port of a service that has no other HTTP: /healthz, /readyz, /metrics.
 * @throws ListenError
 */
export function startOperationsServer(
  { host, port }: { host: string; port: number },
  metrics: Metrics,
  dependencies: Dependencies,
  options: ReadinessOptions,
): OperationsServer {
  const readiness = createReadiness(dependencies, options);
  readiness.observe(metrics);
  const server = listenAt({ host, port }, () =>
    Bun.serve({
      hostname: host,
      port,
      routes: {
        '/healthz': () => Response.json({ status: 'alive' }),
        '/readyz': () => readiness.answer(),
        '/metrics': () => metrics.render(),
      },
      fetch: () => new Response('Not found\n', { status: 404 }),
    }),
  );
  return {
    port: server.port ?? port,
    async stop() {
      await server.stop(true);
    },
  };
}
