import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { describeAccess } from '../../../../shared/contracts/access-log.ts';
import { call } from '../../../../shared/contracts/call.ts';
import type { ReplyOf } from '../../../../shared/contracts/operation.ts';
import { parseCount } from '../../http/parameters.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { answer, count } from '../../openapi/schema-parts.ts';
import { type AdminDependencies, admitted, NO_STORE } from './admitted.ts';
import { operatorOperation } from './operation.ts';

/** Days that the statistics cover by default. */
const DAYS = 7;

const latency = (description: string) => Type.Unsafe({ type: ['number', 'null'], minimum: 0, description });

const topOf = (name: string) =>
  Type.Array(
    Type.Object(
      { [name]: Type.String(), count: count('How many.'), requests: count('As `count`.') },
      { additionalProperties: false },
    ),
    {
      maxItems: 20,
      description: 'The most frequent, most first.',
    },
  );

/** Schema of the access log's statistics. */
export const ACCESS_STATISTICS_SCHEMAS: Record<string, TSchema> = {
  AccessStatistics: answer('What the access log says of some days.', {
    totalRequests: count('Requests in all.'),
    uniqueIps: count(
      'Addresses that they came from. Over several days at least so many when one of them had more than 10,000.',
    ),
    byStatus: Type.Record(Type.String({ pattern: '^[1-5]\\d\\d$' }), count('How many.'), {
      description: 'Requests by status.',
    }),
    byMethod: Type.Record(Type.String(), count('How many.'), { description: 'Requests by method.' }),
    latencyMs: Type.Object(
      {
        p50: latency('Half of the requests took no longer.'),
        p95: latency('95 % took no longer.'),
        p99: latency('99 % took no longer.'),
      },
      { additionalProperties: false, description: 'To within 5 %; null without requests.' },
    ),
    topPaths: topOf('path'),
    topIps: topOf('ip'),
    topUserAgents: topOf('userAgent'),
    topReferers: topOf('referer'),
    hourlyDistribution: Type.Record(Type.String({ pattern: '^(?:1?\\d|2[0-3])$' }), count('How many.'), {
      minProperties: 24,
      maxProperties: 24,
      description: 'Requests by the hour of the day, UTC.',
    }),
    perDay: Type.Array(
      Type.Object(
        {
          date: Type.String({ format: 'date' }),
          requests: count('How many.'),
          uniqueIps: count('Addresses that they came from.'),
        },
        { additionalProperties: false },
      ),
      { description: 'Every day, UTC, oldest first.' },
    ),
  }),
};

/** The requests of each hour of the day, 0 to 23. */
const byHour = (requestsOf: (hour: number) => number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: 24 }, (_, hour) => [String(hour), requestsOf(hour)]));

const OPERATION = operatorOperation({
  operationId: 'describeAccess',
  summary: 'Statistics of the access log',
  description:
    'Of today and the days before it, UTC. The lists of the most frequent paths, User-Agents and Referers go by their first 300 characters, and by the 1,000 most frequent ones of each day (addresses: 10,000).',
  parameters: ['LogDays'],
  responses: {
    '200': ok(
      'The statistics.',
      json('AccessStatistics', {
        day: {
          totalRequests: 3,
          uniqueIps: 2,
          byStatus: { '200': 2, '404': 1 },
          byMethod: { GET: 3 },
          latencyMs: { p50: 1.24, p95: 8.63, p99: 8.63 },
          topPaths: [{ path: '/public/Ab3dE6gH9k', count: 3, requests: 3 }],
          topIps: [
            { ip: '192.0.2.1', count: 2, requests: 2 },
            { ip: '192.0.2.2', count: 1, requests: 1 },
          ],
          topUserAgents: [{ userAgent: 'MyAgent/1.0', count: 3, requests: 3 }],
          topReferers: [{ referer: 'https://example.com/', count: 1, requests: 1 }],
          hourlyDistribution: byHour((hour) => (hour === 7 ? 3 : 0)),
          perDay: [{ date: '2026-11-21', requests: 3, uniqueIps: 2 }],
        },
      }),
      [['Cache-Control']],
    ),
  },
  errors: ['VALIDATION_FAILED'],
  'x-example-requests': [
    { summary: 'A week', status: 200 },
    { summary: 'Today', status: 200, query: { days: '1' } },
    { summary: 'Without the password', status: 401 },
  ],
});

/** Statistics of the access log (specification 18.3). */
export function accessStatisticsRoutes(deps: AdminDependencies) {
  const { bus, config } = deps;
  return new Elysia().use(admitted(deps)).get(
    '/api/admin/access/stats',
    async ({ context }) => {
      const issues = collectIssues();
      const retention = config.logRetentionDays;
      const days = parseCount(context.query(), 'days', retention, issues) ?? Math.min(DAYS, retention);
      issues.throwIfAny();
      const found = await call(bus, describeAccess, { days }, context.callContext);
      return Response.json(shownStatistics(found), { headers: NO_STORE });
    },
    { detail: documented(OPERATION, 'operator') },
  );
}

type Statistics = ReplyOf<typeof describeAccess>;
type Counted<T> = Array<{ value: T; requests: number }>;

const byName = (counts: Counted<string | number>): Record<string, number> =>
  Object.fromEntries(counts.map(({ value, requests }) => [value, requests]));

const named = (counts: Counted<string>, name: string) =>
  counts.map(({ value, requests }) => ({ [name]: value, count: requests, requests }));

function shownStatistics({ totalRequests, uniqueIps, latency, hours, days, ...found }: Statistics) {
  const requestsAt = new Map(hours.map(({ value, requests }) => [value, requests]));
  return {
    totalRequests,
    uniqueIps,
    byStatus: byName(found.byStatus),
    byMethod: byName(found.byMethod),
    latencyMs: latency,
    topPaths: named(found.paths, 'path'),
    topIps: named(found.ips, 'ip'),
    topUserAgents: named(found.userAgents, 'userAgent'),
    topReferers: named(found.referers, 'referer'),
    hourlyDistribution: byHour((hour) => requestsAt.get(hour) ?? 0),
    perDay: days,
  };
}
