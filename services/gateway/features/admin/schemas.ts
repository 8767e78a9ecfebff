import { type TSchema, Type } from '@sinclair/typebox';
import { REPORT_CATEGORIES, REPORT_STATUSES } from '../../../../shared/contracts/reports.ts';
import { KINDS } from '../../../../shared/items/item.ts';
import { optionalText } from '../../openapi/create-fields.ts';
import { schemaRef } from '../../openapi/operation.ts';
import { answer, count, instant, nullable, numberedPage, text } from '../../openapi/schema-parts.ts';
import { CHARACTERS } from '../../openapi/text-patterns.ts';
import { NOTE_CHARACTERS } from './review-input.ts';

const status = Type.Unsafe({
  type: 'string',
  enum: REPORT_STATUSES,
  description: 'What has become of it.',
});

/** Schemas of reports, as the operator sees them. */
export const MODERATION_SCHEMAS: Record<string, TSchema> = {
  Report: answer('An abuse report and its review.', {
    reportId: Type.String({ minLength: 1 }),
    reportedUrl: text(
      'As it was reported, without a user and password, and with *** for secrets; open it with care.',
    ),
    category: Type.Unsafe({ type: 'string', enum: REPORT_CATEGORIES }),
    description: text('What the reporter says.'),
    reporterEmail: nullable('string', 'Where to ask back.'),
    resourceNamespace: nullable('string', 'Of the item, where the report names one.'),
    resourceId: nullable('string', 'Of the item, where the report names one.'),
    status,
    reviewerNote: nullable('string', 'What the reviewer says.'),
    receivedAt: instant('When it arrived.'),
    reviewedAt: Type.Unsafe({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When it was reviewed last; null while it is new.',
    }),
  }),
  ReportPage: numberedPage('Report', 'Reports, newest first.'),
  ReportReview: Type.Object(
    {
      status: Type.Optional(
        Type.Unsafe({ enum: [...REPORT_STATUSES, null], description: 'null: it stays as it is.' }),
      ),
      reviewerNote: optionalText({
        maxLength: NOTE_CHARACTERS,
        pattern: CHARACTERS.storable,
        description: 'null, or a blank text, clears it.',
      }),
    },
    {
      description: 'What changes of a report; at least one of the two.',
      anyOf: [
        { required: ['status'], properties: { status: { type: 'string' } } },
        { required: ['reviewerNote'] },
      ],
    },
  ),
};

const latency = (description: string) => Type.Unsafe({ type: ['number', 'null'], minimum: 0, description });

const most = (name: string) =>
  Type.Array(
    Type.Object({ [name]: Type.String(), requests: count('How many.') }, { additionalProperties: false }),
    {
      maxItems: 20,
      description: 'The most frequent, most first.',
    },
  );

/** Schemas of the access log, as the operator sees it. */
export const ACCESS_LOG_SCHEMAS: Record<string, TSchema> = {
  AccessEntry: answer('An answered request, or several of one client with the same status.', {
    id: Type.Integer({ minimum: 1 }),
    requestId: text('As in X-Request-Id of its answer.'),
    clientIp: text('The address that it came from; `*` for many.'),
    userAgent: nullable('string', 'What the client called itself.'),
    method: text('As it was sent.'),
    path: text('As it was sent, percent-encoded; `*` where several differ.'),
    query: text('Without the question mark; secrets are `***`.'),
    status: Type.Integer({ minimum: 100, maximum: 599 }),
    durationMs: Type.Number({
      minimum: 0,
      description: 'From its arrival to its answer; of several the mean.',
    }),
    requests: Type.Integer({ minimum: 1, description: 'How many requests it stands for.' }),
    referer: nullable('string', 'Where it came from, secrets masked.'),
    resourceType: Type.Unsafe({
      enum: [...KINDS, null],
      description: 'Kind of the item that it met; null when it met none.',
    }),
    resourceNamespace: nullable('string', "The item's namespace."),
    resourceId: nullable('string', "The item's id."),
    createdAt: instant('When it happened.'),
  }),
  AccessPage: answer('Entries of the access log, newest first.', {
    items: Type.Array(schemaRef('AccessEntry'), { maxItems: 1000 }),
    total: count('How many requests there are in all.'),
    totalIsLowerBound: Type.Boolean({
      description: 'Whether there are more than `total`, which were not counted.',
    }),
    limit: Type.Integer({ minimum: 1, maximum: 1000 }),
    offset: count('How many were left out.'),
    nextCursor: nullable('string', 'Where the next page begins; null at the end.'),
  }),
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
    ...{ topPaths: most('path'), topIps: most('ip'), topUserAgents: most('userAgent') },
    topReferers: most('referer'),
    hourlyDistribution: Type.Array(count('How many.'), {
      ...{ minItems: 24, maxItems: 24, description: 'Requests by the hour of the day, UTC.' },
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
