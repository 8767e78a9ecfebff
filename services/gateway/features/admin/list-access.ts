import { Elysia } from 'elysia';
import {
  ACCESS_ENTRIES_PER_REPLY,
  type AccessEntry,
  type AccessFilter,
  listAccess,
} from '../../../../shared/contracts/access-log.ts';
import { call } from '../../../../shared/contracts/call.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { instant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ADMIN, ADMIN_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { parseAccessFilter } from './access-filter.ts';
import { type AccessPage, cursorOf, parseAccessPage } from './access-page.ts';
import { ADMIN_HEADERS, type AdminDependencies, admitted } from './admitted.ts';

const SAMPLE_ENTRY = {
  ...{ id: 4711, requestId: 'V1StGXR8_Z5jdHi6', clientIp: '192.0.2.1', userAgent: 'MyAgent/1.0' },
  ...{ method: 'GET', path: '/public/Ab3dE6gH9k', query: 'p=***', status: 200, durationMs: 1.27 },
  ...{ requests: 1, referer: 'https://example.com/', resourceType: 'html', resourceNamespace: 'public' },
  ...{ resourceId: 'Ab3dE6gH9k', createdAt: SAMPLE.createdAt },
};

const OPERATION: Operation = {
  operationId: 'listAccess',
  summary: 'The access log',
  description:
    'Answered requests, newest first, but for those of static assets; kept for 30 days unless this server has another retention. Every filter that is given must hold. An entry appears within a second or so of its answer. `cursor` goes on behind the last entry of an answer, whatever is added meanwhile. `ua` alone has no index: give `from` with it when the log is large.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(
    ...(['LogIp', 'LogMethod', 'LogStatus', 'LogPath', 'LogResource', 'LogUserAgent'] as const),
    ...(['LogFrom', 'LogTo', 'LogLimit', 'LogOffset', 'LogCursor', ...ADMIN] as const),
  ),
  responses: {
    '200': ok(
      'A page of the log.',
      json('AccessPage', {
        page: {
          ...{ items: [SAMPLE_ENTRY], total: 1, totalIsLowerBound: false },
          ...{ limit: 100, offset: 0, nextCursor: null },
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

/** The access log as the operator reads it (specification 18.3). */
export function listAccessRoutes(deps: AdminDependencies) {
  return new Elysia().use(admitted(deps)).get(
    '/api/admin/access',
    async ({ context }) => {
      const issues = collectIssues();
      const filter = parseAccessFilter(context.query(), issues);
      const page = parseAccessPage(context.query(), issues);
      issues.throwIfAny();
      const { items, more, total } = await collect(deps, context, filter, page);
      const last = items.at(-1);
      const body = {
        items: items.map(shownEntry),
        total: total.count,
        totalIsLowerBound: total.isLowerBound,
        limit: page.limit,
        offset: page.offset,
        nextCursor: more && last !== undefined ? cursorOf(last) : null,
      };
      return Response.json(body, { headers: { 'Cache-Control': 'no-store' } });
    },
    { detail: documented(OPERATION, 'operator') },
  );
}

/** A page, in as many messages as it needs. */
async function collect(
  { bus }: AdminDependencies,
  { callContext }: RequestContext,
  filter: AccessFilter,
  { limit, offset, after }: AccessPage,
) {
  const items: AccessEntry[] = [];
  let total = { count: 0, isLowerBound: false };
  for (;;) {
    const first = items.length === 0;
    const part = await call(
      bus,
      listAccess,
      {
        filter,
        after: items.at(-1) ?? after,
        offset: first ? offset : 0,
        limit: Math.min(ACCESS_ENTRIES_PER_REPLY, limit - items.length),
        counted: first,
      },
      callContext,
    );
    items.push(...part.items);
    total = part.total ?? total;
    if (!part.more || items.length >= limit) return { items, more: part.more, total };
  }
}

function shownEntry({ createdAt, ...entry }: AccessEntry) {
  const { id, requestId, clientIp, userAgent, method, path, query, status, durationMs, requests } = entry;
  const { referer, resourceType, resourceNamespace, resourceId } = entry;
  return {
    ...{ id, requestId, clientIp, userAgent, method, path, query, status, durationMs, requests, referer },
    ...{ resourceType, resourceNamespace, resourceId, createdAt: instant(createdAt) },
  };
}
