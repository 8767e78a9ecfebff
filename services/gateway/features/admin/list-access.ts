import { Elysia } from 'elysia';
import {
  ACCESS_ENTRIES_PER_REPLY,
  type AccessEntry,
  type AccessFilter,
  listAccess,
} from '../../../../shared/contracts/access-log.ts';
import { call } from '../../../../shared/contracts/call.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { instant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ADMIN, ADMIN_ONLY, parameters } from '../../openapi/parameters.ts';
import { ADMIN_CODES, failures } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { parseAccessFilter } from './access-filter.ts';
import { ADMIN_HEADERS, type AdminDependencies, admitted } from './admitted.ts';
import { answerList, type ListPage, parseListQuery } from './list-page.ts';

/** The ids of entries are numbers. */
const PAGE = { default: 100, max: 1_000, id: /^\d{1,15}$/ };

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
    'Answered requests, newest first, but for those of static assets; kept for 30 days unless this server has another retention. Every filter that is given must hold. An entry appears within a second or so of its answer. The `Link` of an answer goes on behind its last entry, whatever is added meanwhile. `ua`, and an id without a namespace, have no index: give `from` with them when the log is large. With `resource`, `ip` is passed over.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(
    ...(['LogIp', 'LogMethod', 'LogStatus', 'LogPath', 'LogResource', 'LogUserAgent'] as const),
    ...(['LogFrom', 'LogTo', 'LogLimit', 'ListOffset', 'ListCursor', ...ADMIN] as const),
  ),
  responses: {
    '200': ok(
      'A part of the log. `X-Total-Count` counts requests, as an entry may stand for several.',
      json('AccessEntryList', { page: [SAMPLE_ENTRY] }),
      [
        ['Cache-Control', 'X-Total-Count'],
        ['X-Total-Is-Lower-Bound', 'Link'],
      ],
    ),
    ...failures(['VALIDATION_FAILED', ...ADMIN_CODES]),
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
    { summary: 'Without the password', status: 401 },
  ],
};

/** The access log as the operator reads it (specification 18.3). */
export function listAccessRoutes(deps: AdminDependencies) {
  return new Elysia().use(admitted(deps)).get(
    '/api/admin/access',
    async ({ context }) => {
      const { page, filter } = parseListQuery(context.query(), PAGE, parseAccessFilter);
      const { items, more, total } = await collect(deps, context, filter, page);
      const last = more ? items.at(-1) : undefined;
      const after = last === undefined ? null : { createdAt: last.createdAt, id: String(last.id) };
      const next = { context, baseUrl: context.baseUrl, after };
      return answerList(items.map(shownEntry), total, next);
    },
    { detail: documented(OPERATION, 'operator') },
  );
}

/** A page, in as many messages as it needs. */
async function collect(
  { bus }: AdminDependencies,
  { callContext }: RequestContext,
  filter: AccessFilter,
  { limit, offset, after }: ListPage,
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
        after: items.at(-1) ?? (after === null ? null : { ...after, id: Number(after.id) }),
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
