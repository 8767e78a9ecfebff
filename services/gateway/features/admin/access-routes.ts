import { Elysia } from 'elysia';
import {
  ACCESS_ENTRIES_PER_REPLY,
  type AccessEntry,
  type AccessFilter,
  describeAccess,
  listAccess,
} from '../../../../shared/contracts/access-log.ts';
import { call } from '../../../../shared/contracts/call.ts';
import type { ReplyOf } from '../../../../shared/contracts/operation.ts';
import { parseCount } from '../../http/numbered-page.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { instant } from '../../items/serializer.ts';
import { documented } from '../../openapi/documented.ts';
import { parseAccessFilter } from './access-filter.ts';
import * as operations from './access-openapi.ts';
import { type AccessPage, cursorOf, parseAccessPage } from './access-page.ts';
import { admitted } from './admitted.ts';
import type { AdminDependencies } from './dependencies.ts';

/** Days that the statistics are of when the request does not say. */
const DAYS = 7;

const headers = { 'Cache-Control': 'no-store' };

/** The access log as the operator reads it (specification 18.3). */
export function adminAccessRoutes(deps: AdminDependencies) {
  const { bus, config } = deps;
  return new Elysia({ prefix: '/api/admin/access' })
    .use(admitted(deps))
    .get(
      '',
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
        return Response.json(body, { headers });
      },
      { detail: documented(operations.list, 'operator') },
    )
    .get(
      '/stats',
      async ({ context }) => {
        const issues = collectIssues();
        const retention = config.logRetentionDays;
        const days = parseCount(context.query(), 'days', retention, issues) ?? Math.min(DAYS, retention);
        issues.throwIfAny();
        const found = await call(bus, describeAccess, { days }, context.callContext);
        return Response.json(shownStatistics(found), { headers });
      },
      { detail: documented(operations.statistics, 'operator') },
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

type Statistics = ReplyOf<typeof describeAccess>;
type Counted<T> = Array<{ value: T; requests: number }>;

const byName = (counts: Counted<string | number>): Record<string, number> =>
  Object.fromEntries(counts.map(({ value, requests }) => [value, requests]));

const named = (counts: Counted<string>, name: string) =>
  counts.map(({ value, requests }) => ({ [name]: value, requests }));

function shownStatistics({ totalRequests, uniqueIps, latency, hours, days, ...found }: Statistics) {
  const requestsAt = new Map(hours.map(({ value, requests }) => [value, requests]));
  return {
    ...{ totalRequests, uniqueIps, byStatus: byName(found.byStatus), byMethod: byName(found.byMethod) },
    latencyMs: latency,
    topPaths: named(found.paths, 'path'),
    topIps: named(found.ips, 'ip'),
    topUserAgents: named(found.userAgents, 'userAgent'),
    topReferers: named(found.referers, 'referer'),
    hourlyDistribution: Array.from({ length: 24 }, (_, hour) => requestsAt.get(hour) ?? 0),
    perDay: days,
  };
}
