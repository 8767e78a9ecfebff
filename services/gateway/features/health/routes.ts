import { Elysia } from 'elysia';
import { pingAnalytics } from '../../../../shared/contracts/analytics.ts';
import { call } from '../../../../shared/contracts/call.ts';
import { pingContent } from '../../../../shared/contracts/content.ts';
import { pingKv } from '../../../../shared/contracts/kv.ts';
import { pingSite } from '../../../../shared/contracts/site.ts';
import { steadyNow } from '../../../../shared/deadline.ts';
import { newRequestId } from '../../../../shared/ids.ts';
import type { Metrics } from '../../../../shared/metrics.ts';
import { createReadiness } from '../../../../shared/readiness.ts';
import type { GatewayProcessDependencies } from '../../../../shared/wiring/dependencies.ts';
import { documented } from '../../openapi/documented.ts';
import * as operations from './openapi.ts';

export interface HealthDependencies extends GatewayProcessDependencies {
  /** Whether the process is about to stop: then others are to ask another gateway. */
  isLeaving(): boolean;
}

const soon = () => ({ requestId: newRequestId(), deadline: steadyNow() + 2_000 });

/** Whether the process lives, whether all it depends on answers, and what it has counted. */
export function healthRoutes({ bus, blobs, cache, isLeaving }: HealthDependencies, metrics: Metrics) {
  const dependencies = {
    bus: () => bus.check(),
    blobs: () => blobs.check(),
    cache: () => cache.check(),
    content: () => call(bus, pingContent, {}, soon()),
    kv: () => call(bus, pingKv, {}, soon()),
    site: () => call(bus, pingSite, {}, soon()),
    analytics: () => call(bus, pingAnalytics, {}, soon()),
  };
  const readiness = createReadiness(dependencies, isLeaving);
  readiness.observe(metrics);
  return new Elysia()
    .get('/healthz', () => Response.json({ status: 'alive' }), {
      detail: documented(operations.alive, 'static'),
    })
    .get('/readyz', () => readiness.answer(), { detail: documented(operations.ready, 'probe') })
    .get('/metrics', () => metrics.render(), { detail: documented(operations.metrics, 'probe') });
}
