import { startAnalytics } from '../services/analytics/service.ts';
import { startContent } from '../services/content/service.ts';
import { startKv } from '../services/kv/service.ts';
import { startSite } from '../services/site/service.ts';
import { runService } from '../shared/wiring/run-service.ts';

/**
 * All services behind the gateways in one process, on the servers of the distributed mode: they are tested over the same
 * adapters as processes of their own, and a fourth of the processes has to start.
 */
await runService(
  'services',
  async (parts) => {
    const running = new AsyncDisposableStack();
    try {
      for (const startService of [startContent, startKv, startSite, startAnalytics]) {
        const service = await startService(parts);
        running.defer(() => service.stop());
      }
    } catch (error) {
      await running.disposeAsync();
      throw error;
    }
    return { stop: () => running.disposeAsync() };
  },
  ({ events }) => ({ events: () => events.check() }),
);
