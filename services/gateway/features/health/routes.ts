import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { scannerPing, servicePings } from '../../../../shared/contracts/service-pings.ts';
import type { Metrics } from '../../../../shared/metrics.ts';
import { createReadiness } from '../../../../shared/readiness.ts';
import type { GatewayProcessDependencies } from '../../../../shared/wiring/dependencies.ts';
import { json, ok, text } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { headers } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { failures } from '../../openapi/responses.ts';
import { answer } from '../../openapi/schema-parts.ts';

export interface HealthDependencies extends GatewayProcessDependencies {
  /** Whether the process is about to stop: a load balancer then uses another gateway. */
  isLeaving(): boolean;
}

/** Under `#/components/schemas`. */
export const HEALTH_SCHEMAS: Record<string, TSchema> = {
  Health: answer('The process is alive.', { status: Type.Literal('alive') }),
  Readiness: answer('Whether all that the service depends on answers.', {
    status: Type.Unsafe({ type: 'string', enum: ['ready', 'unavailable', 'leaving'] }),
    dependencies: Type.Record(Type.String(), Type.Unsafe({ type: 'string', enum: ['up', 'down'] })),
  }),
};

const OPEN = { open: true, local: true };

const READ_HEALTH: Operation = {
  operationId: 'readHealth',
  summary: 'Whether the process is alive',
  description: 'For supervisors. Asks nothing of what the service depends on.',
  tags: ['Service'],
  security: [],
  parameters: [],
  responses: {
    '200': ok('It is.', json('Health', { alive: { status: 'alive' } })),
    ...failures([], OPEN),
  },
  'x-example-requests': [{ summary: 'A check', status: 200 }],
};

const sampleOf = (blobs: 'up' | 'down') => ({ bus: 'up', blobs, cache: 'up', content: 'up' });

const READ_READINESS: Operation = {
  operationId: 'readReadiness',
  summary: 'Whether all that the service depends on answers',
  description:
    'For load balancers. Says which part is away, or that the process is about to stop (`leaving`). With a scanner it says whether that one answers, too; without it the service is ready all the same.',
  tags: ['Service'],
  security: [],
  parameters: [],
  responses: {
    '200': ok('All of it.', json('Readiness', { ready: { status: 'ready', dependencies: sampleOf('up') } })),
    ...failures([], OPEN),
    '503': {
      description: 'A part is away, or the process is about to stop.',
      headers: headers(['Retry-After']),
      content: json('Readiness', {
        unavailable: { status: 'unavailable', dependencies: sampleOf('down') },
      }),
    },
  },
  'x-example-requests': [{ summary: 'A check', status: 200 }],
};

const READ_METRICS: Operation = {
  operationId: 'readMetrics',
  summary: 'What the process has counted',
  description: 'In the Prometheus text format.',
  tags: ['Service'],
  security: [],
  parameters: [],
  responses: {
    '200': ok(
      'The metrics.',
      text(
        'text/plain',
        '# HELP http_requests_total Requests answered.\n# TYPE http_requests_total counter\nhttp_requests_total{service="gateway",kind="page",method="GET",status="200"} 12\n',
        'metrics',
      ),
    ),
    ...failures([], OPEN),
  },
  'x-example-requests': [{ summary: 'A scrape', status: 200 }],
};

/** Whether the process lives, whether all it depends on answers, and what it has counted. */
export function healthRoutes(deps: HealthDependencies, metrics: Metrics) {
  const { bus, blobs, cache, isLeaving } = deps;
  const dependencies = {
    bus: () => bus.check(),
    blobs: () => blobs.check(),
    cache: () => cache.check(),
    ...servicePings(bus),
  };
  const readiness = createReadiness(dependencies, {
    isLeaving,
    // Without it reads go on.
    mayBeAway: deps.config.scanning.clamdUrl === null ? {} : { scanner: scannerPing(bus) },
  });
  readiness.observe(metrics);
  return new Elysia()
    .get('/healthz', () => Response.json({ status: 'alive' }), {
      detail: documented(READ_HEALTH, 'static'),
    })
    .get('/readyz', () => readiness.answer(), { detail: documented(READ_READINESS, 'probe') })
    .get('/metrics', () => metrics.render(), { detail: documented(READ_METRICS, 'probe') });
}
