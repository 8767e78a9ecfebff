import { json, ok, text } from '../../openapi/answers.ts';
import { headers } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { failures } from '../../openapi/responses.ts';

const OPEN = { open: true, local: true };

export const alive: Operation = {
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

const dependencies = (blobs: 'up' | 'down') => ({ bus: 'up', blobs, cache: 'up', content: 'up' });

export const ready: Operation = {
  operationId: 'readReadiness',
  summary: 'Whether all that the service depends on answers',
  description:
    'For load balancers. Says which part is away, or that the process is about to stop (`leaving`).',
  tags: ['Service'],
  security: [],
  parameters: [],
  responses: {
    '200': ok(
      'All of it.',
      json('Readiness', { ready: { status: 'ready', dependencies: dependencies('up') } }),
    ),
    ...failures([], OPEN),
    '503': {
      description: 'A part is away, or the process is about to stop.',
      headers: headers(['Retry-After']),
      content: json('Readiness', {
        unavailable: { status: 'unavailable', dependencies: dependencies('down') },
      }),
    },
  },
  'x-example-requests': [{ summary: 'A check', status: 200 }],
};

export const metrics: Operation = {
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
