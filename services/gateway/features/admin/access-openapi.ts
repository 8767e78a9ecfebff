import { json, ok } from '../../openapi/answers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ADMIN, ADMIN_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';

const ADMIN_HEADERS = { 'X-Admin-Password': '{adminPassword}' };

const ENTRY = {
  ...{ id: 4711, requestId: 'V1StGXR8_Z5jdHi6', clientIp: '192.0.2.1', userAgent: 'MyAgent/1.0' },
  ...{
    method: 'GET',
    path: '/public/Ab3dE6gH9k',
    query: 'p=***',
    status: 200,
    durationMs: 1.27,
    requests: 1,
  },
  ...{ referer: 'https://example.com/', resourceType: 'html', resourceNamespace: 'public' },
  ...{ resourceId: 'Ab3dE6gH9k', createdAt: SAMPLE.createdAt },
};

export const list: Operation = {
  operationId: 'listAccess',
  summary: 'The access log',
  description:
    'Answered requests, newest first, but for those of static assets; kept for 30 days unless this server has another retention. Every filter that is given must hold. An entry appears within a second or so of its answer. `cursor` goes on behind the last entry of an answer, whatever is added meanwhile. `ua` alone has no index: give `from` with it when the log is large.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(
    ...([
      'LogIp',
      'LogMethod',
      'LogStatus',
      'LogPath',
      'LogResource',
      'LogUserAgent',
      'LogFrom',
      'LogTo',
    ] as const),
    ...(['LogLimit', 'LogOffset', 'LogCursor', ...ADMIN] as const),
  ),
  responses: {
    '200': ok(
      'A page of the log.',
      json('AccessPage', {
        page: {
          ...{ items: [ENTRY], total: 1, totalIsLowerBound: false, limit: 100, offset: 0, nextCursor: null },
        },
      }),
      [['Cache-Control']],
    ),
    ...failures(['VALIDATION_FAILED', 'ADMIN_FORBIDDEN', 'CROSS_SITE_FORBIDDEN', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'The newest', status: 200, headers: ADMIN_HEADERS },
    {
      ...{ summary: 'With every filter', status: 200, headers: ADMIN_HEADERS },
      query: {
        ...{ ip: '192.0.2.1', method: 'GET', status: '4xx', path: '/public/', resource: 'public/Ab3dE6gH9k' },
        ...{ ua: 'MyAgent', from: '2026-11-21', to: '2026-11-22T00:00:00Z', limit: '10', offset: '20' },
      },
    },
    { summary: 'Without the password', status: 403 },
  ],
};

export const statistics: Operation = {
  operationId: 'describeAccess',
  summary: 'Statistics of the access log',
  description:
    'Of today and the days before it, UTC. The lists of the most frequent paths, User-Agents and Referers go by their first 300 characters, and by the 1,000 most frequent ones of each day (addresses: 10,000).',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters('LogDays', ...ADMIN),
  responses: {
    '200': ok(
      'The statistics.',
      json('AccessStatistics', {
        day: {
          ...{ totalRequests: 3, uniqueIps: 2, byStatus: { '200': 2, '404': 1 }, byMethod: { GET: 3 } },
          latencyMs: { p50: 1.24, p95: 8.63, p99: 8.63 },
          topPaths: [{ path: '/public/Ab3dE6gH9k', requests: 3 }],
          topIps: [
            { ip: '192.0.2.1', requests: 2 },
            { ip: '192.0.2.2', requests: 1 },
          ],
          topUserAgents: [{ userAgent: 'MyAgent/1.0', requests: 3 }],
          topReferers: [{ referer: 'https://example.com/', requests: 1 }],
          hourlyDistribution: Array.from({ length: 24 }, (_, hour) => (hour === 7 ? 3 : 0)),
          perDay: [{ date: '2026-11-21', requests: 3, uniqueIps: 2 }],
        },
      }),
      [['Cache-Control']],
    ),
    ...failures(['VALIDATION_FAILED', 'ADMIN_FORBIDDEN', 'CROSS_SITE_FORBIDDEN', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'A week', status: 200, headers: ADMIN_HEADERS },
    { summary: 'Today', status: 200, headers: ADMIN_HEADERS, query: { days: '1' } },
    { summary: 'Without the password', status: 403 },
  ],
};
