import { Elysia } from 'elysia';
import { call } from '../../../shared/contracts/call.ts';
import { pingContent } from '../../../shared/contracts/content.ts';
import { newRequestId } from '../../../shared/ids.ts';
import type { Metrics } from '../../../shared/metrics.ts';
import { createReadiness } from '../../../shared/readiness.ts';
import type { GatewayDependencies } from '../dependencies.ts';

/** Whether the process lives, whether all it depends on answers, and what it has counted. */
export function healthRoutes({ bus, blobs, cache }: GatewayDependencies, metrics: Metrics) {
  const ready = createReadiness({
    bus: () => bus.check(),
    blobs: () => blobs.check(),
    cache: () => cache.check(),
    content: () => call(bus, pingContent, {}, { requestId: newRequestId(), deadline: Date.now() + 2_000 }),
  });
  return new Elysia()
    .get('/healthz', () => Response.json({ status: 'alive' }))
    .get('/readyz', () => ready())
    .get('/metrics', () => metrics.render());
}
