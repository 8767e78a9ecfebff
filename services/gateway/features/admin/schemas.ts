import { type TSchema, Type } from '@sinclair/typebox';
import { REPORT_CATEGORIES, REPORT_STATUSES } from '../../../../shared/contracts/reports.ts';
import { KINDS } from '../../../../shared/items/item.ts';
import { optionalText } from '../../openapi/create-fields.ts';
import { answer, count, instant, list, nullable, text } from '../../openapi/schema-parts.ts';
import { CHARACTERS } from '../../openapi/text-patterns.ts';
import { NOTE_CHARACTERS } from './review-input.ts';

const status = Type.Unsafe({
  type: 'string',
  enum: REPORT_STATUSES,
  description: 'What has become of it.',
});

/** Of a report in a list, and alone. */
const SUMMARY = {
  reportId: Type.String({ minLength: 1 }),
  id: Type.String({ minLength: 1, description: 'As `reportId`.' }),
  reportedUrl: text(
    'As it was reported, without a user and password, and with *** for secrets; open it with care.',
  ),
  category: Type.Unsafe({ type: 'string', enum: REPORT_CATEGORIES }),
  description: text('What the reporter says.'),
  reporterEmail: nullable('string', 'Where to ask back.'),
  resourceNamespace: nullable('string', 'Of the item, where the report names one.'),
  resourceId: nullable('string', 'Of the item, where the report names one.'),
  resourceType: Type.Unsafe({
    enum: [...KINDS, 'unknown'],
    description: 'Kind of the item when it was reported; unknown when there was none.',
  }),
  status,
  reviewerNote: nullable('string', 'What the reviewer says.'),
  receivedAt: instant('When it arrived.'),
  createdAt: instant('As `receivedAt`.'),
  reviewedAt: Type.Unsafe({
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When it was reviewed last; null while it is new.',
  }),
};

/** Schemas of reports, as the operator sees them. */
export const MODERATION_SCHEMAS: Record<string, TSchema> = {
  ReportSummary: answer('An abuse report and its review.', SUMMARY),
  ReportList: list('ReportSummary', 'Abuse reports, newest first.'),
  Report: answer('An abuse report, its review, and who sent it.', {
    ...SUMMARY,
    reporterIp: nullable('string', 'The address that it came from; null for reports of earlier releases.'),
    reporterUserAgent: nullable('string', 'The User-Agent that it came with.'),
  }),
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
    Type.Object(
      { [name]: Type.String(), count: count('How many.'), requests: count('As `count`.') },
      { additionalProperties: false },
    ),
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
  AccessEntryList: list('AccessEntry', 'Entries of the access log, newest first.'),
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
    hourlyDistribution: Type.Record(Type.String({ pattern: '^(?:1?\\d|2[0-3])$' }), count('How many.'), {
      ...{ minProperties: 24, maxProperties: 24, description: 'Requests by the hour of the day, UTC.' },
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
