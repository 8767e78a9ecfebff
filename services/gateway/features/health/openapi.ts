import { Type } from '@sinclair/typebox';
import { json, ok, redirect, text } from '../../openapi/answers.ts';
import { type HeaderName, headers } from '../../openapi/headers.ts';
import { type Operation, type Paths, parameterRef, type Responses } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';

const OPEN = { open: true, local: true };

const home: Operation = {
  operationId: 'showHome',
  summary: 'The home page',
  description: 'What the service is, and a form that publishes a page, a file or a site.',
  tags: ['Service'],
  security: [],
  parameters: parameters(),
  responses: {
    '200': ownPage('The page.', 'Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures([], { page: true, local: true }),
  },
  'x-example-requests': [{ summary: 'The home page', status: 200 }],
};

const docs: Operation = {
  operationId: 'showDocs',
  summary: 'This documentation',
  description: 'A page to read the interface and to try it.',
  tags: ['Service'],
  security: [],
  parameters: parameters(),
  responses: {
    '200': ownPage('The page.', 'API · Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures([], { page: true, local: true }),
  },
  'x-example-requests': [{ summary: 'The page', status: 200 }],
};

const CACHEABLE: HeaderName[] = ['ETag', 'Cache-Control', 'Vary'];

const unchanged = (): Responses => ({
  '304': {
    description: '`If-None-Match` names the current version: you have it.',
    headers: headers(CACHEABLE, ['Content-Encoding']),
  },
});

const docsJson: Operation = {
  operationId: 'readDocs',
  summary: 'This documentation as OpenAPI',
  description: 'The OpenAPI 3.1 document of the whole interface.',
  tags: ['Service'],
  security: [],
  parameters: parameters('IfNoneMatch'),
  responses: {
    '200': ok(
      'The document.',
      {
        'application/json': {
          schema: Type.Object({ openapi: Type.String({ pattern: '^3\\.1\\.' }) }),
          examples: {
            beginning: {
              value: { openapi: '3.1.1', info: { title: 'Perch', version: '1.87.0' }, paths: {} },
            },
          },
        },
      },
      [CACHEABLE, ['Content-Encoding']],
    ),
    ...unchanged(),
    ...failures([], { local: true }),
  },
  'x-example-requests': [{ summary: 'The document', status: 200 }],
};

const alive: Operation = {
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

const ready: Operation = {
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

const metrics: Operation = {
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

const asset: Operation = {
  operationId: 'readAsset',
  summary: "A file of the service's own pages",
  description: 'Styles, scripts and pictures.',
  tags: ['Service'],
  security: [],
  parameters: ['AssetName', 'IfNoneMatch'].map(parameterRef),
  responses: {
    '200': ok(
      'The file.',
      {
        ...text('text/css', 'body { margin: 0 }\n', 'style'),
        ...text('text/javascript', 'document.title;\n', 'script'),
        ...text('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>\n', 'picture'),
      },
      [CACHEABLE, ['Content-Encoding']],
    ),
    ...unchanged(),
    ...failures(['NOT_FOUND'], OPEN),
  },
  'x-example-requests': [
    { summary: 'A stylesheet', status: 200, path: { name: 'perch.css' } },
    { summary: 'A file that is not there', status: 404, path: { name: 'nothing.css' } },
  ],
};

const favicon: Operation = {
  operationId: 'readFavicon',
  summary: "The service's icon",
  description: 'Where browsers look for it by themselves.',
  tags: ['Service'],
  security: [],
  parameters: [],
  responses: { '302': redirect('To the picture.'), ...failures([], OPEN) },
  'x-example-requests': [{ summary: 'The icon', status: 302 }],
};

/** What the service says of itself. */
export const SERVICE: Paths = {
  '/': { get: home },
  '/docs': { get: docs },
  '/docs/json': { get: docsJson },
  '/healthz': { get: alive },
  '/readyz': { get: ready },
  '/metrics': { get: metrics },
  '/assets/{name}': { get: asset },
  '/favicon.ico': { get: favicon },
};
