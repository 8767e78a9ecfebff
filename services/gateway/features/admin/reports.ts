import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as reports from '../../../../shared/contracts/reports.ts';
import { KINDS } from '../../../../shared/items/item.ts';
import { instant as shownInstant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { optionalText } from '../../openapi/create-fields.ts';
import { documented } from '../../openapi/documented.ts';
import { JSON_BODY_CODES } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { answer, instant, list, nullable, text } from '../../openapi/schema-parts.ts';
import { CHARACTERS } from '../../openapi/text-patterns.ts';
import { type AdminDependencies, admitted, NO_STORE } from './admitted.ts';
import { answerList, parseListQuery } from './list-page.ts';
import { operatorOperation } from './operation.ts';
import { createOperatorActions } from './operator-actions.ts';
import { NOTE_CHARACTERS, parseReportFilter, REPORT_ID, readReview, reportNamed } from './review-input.ts';

const PAGE = { default: 50, max: reports.REPORTS_PER_PAGE, id: REPORT_ID };

const status = Type.Unsafe({
  type: 'string',
  enum: reports.REPORT_STATUSES,
  description: 'What has become of it.',
});

/** Fields of a report, in a list and alone. */
const SUMMARY = {
  reportId: Type.String({ minLength: 1 }),
  id: Type.String({ minLength: 1, description: 'As `reportId`.' }),
  reportedUrl: text(
    'As it was reported, without a user and password, and with *** for secrets; open it with care.',
  ),
  category: Type.Unsafe({ type: 'string', enum: reports.REPORT_CATEGORIES }),
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
export const ADMIN_REPORT_SCHEMAS: Record<string, TSchema> = {
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
        Type.Unsafe({ enum: [...reports.REPORT_STATUSES, null], description: 'null: it stays as it is.' }),
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

const SAMPLE_SUMMARY = {
  reportId: 'Q7wErT2yU9',
  id: 'Q7wErT2yU9',
  reportedUrl: SAMPLE.url,
  category: 'phishing',
  description: 'It asks for the password of my bank.',
  reporterEmail: null,
  resourceNamespace: 'public',
  resourceId: 'Ab3dE6gH9k',
  resourceType: 'html',
  status: 'new',
  reviewerNote: null,
  receivedAt: SAMPLE.createdAt,
  createdAt: SAMPLE.createdAt,
  reviewedAt: null,
};
const SAMPLE_REPORT = {
  ...SAMPLE_SUMMARY,
  reporterIp: '192.0.2.1',
  reporterUserAgent: 'MyAgent/1.0',
};
const REVIEWED = {
  ...SAMPLE_REPORT,
  status: 'actioned',
  reviewerNote: 'Taken down.',
  reviewedAt: SAMPLE.updatedAt,
};

const LIST_REPORTS = operatorOperation({
  operationId: 'listReports',
  summary: 'Abuse reports',
  description:
    'What people have reported, newest first. The `Link` of an answer goes on behind its last report, whatever is added meanwhile.',
  parameters: ['ReportStatus', 'ReportItem', 'ReportsLimit', 'ListOffset', 'ListCursor'],
  responses: {
    '200': ok('A part of the list.', json('ReportList', { page: [SAMPLE_SUMMARY] }), [
      ['Cache-Control', 'X-Total-Count'],
      ['Link'],
    ]),
  },
  errors: ['VALIDATION_FAILED'],
  'x-example-requests': [
    {
      summary: 'What is new',
      status: 200,
      needs: 'report',
      query: { status: 'new', item: 'public/Ab3dE6gH9k', limit: '10', offset: '0' },
    },
    { summary: 'Without the password', status: 401 },
  ],
});

const READ_REPORT = operatorOperation({
  operationId: 'readReport',
  summary: 'An abuse report',
  description: 'One report and its review.',
  parameters: ['ReportId'],
  responses: {
    '200': ok('The report.', json('Report', { new: SAMPLE_REPORT, reviewed: REVIEWED }), [['Cache-Control']]),
  },
  errors: ['NOT_FOUND'],
  'x-example-requests': [
    { summary: 'A report', status: 200, needs: 'report' },
    { summary: 'One that is not there', status: 404, path: { id: 'no-such-report' } },
  ],
});

const REVIEW_REPORT = operatorOperation({
  operationId: 'reviewReport',
  summary: 'Review an abuse report',
  description:
    'Sets the status, the note, or both; what is left out stays. Of two reviewers at once the last one wins, field by field. `reviewedAt` is the last review; a report that becomes new again has none.',
  parameters: ['ReportId'],
  requestBody: {
    required: true,
    content: json('ReportReview', {
      action: { status: 'actioned', reviewerNote: 'Taken down.' },
      dismissal: { status: 'dismissed' },
      noNote: { reviewerNote: null },
    }),
  },
  responses: {
    '200': ok('The report as it is now.', json('Report', { reviewed: REVIEWED }), [['Cache-Control']]),
  },
  errors: [...JSON_BODY_CODES, 'NOT_FOUND'],
  'x-example-requests': (['action', 'dismissal', 'noNote'] as const).map((example) => ({
    summary: `With the body "${example}"`,
    status: 200,
    needs: 'report',
    body: { type: 'application/json', example },
  })),
});

/** Reports as the operator reviews them (specification 18.2). */
export function adminReportRoutes(deps: AdminDependencies) {
  const { bus, budget } = deps;
  const actions = createOperatorActions(deps);
  return new Elysia({ prefix: '/api/admin/reports' })
    .use(admitted(deps))
    .get(
      '',
      async ({ context }) => {
        const { page, filter } = parseListQuery(context.query(), PAGE, parseReportFilter);
        const found = await call(bus, reports.listReports, { ...filter, ...page }, context.callContext);
        const last = found.more ? found.reports.at(-1) : undefined;
        const after = last === undefined ? null : { createdAt: last.receivedAt, id: last.reportId };
        return answerList(found.reports.map(summary), { count: found.total }, { context, after });
      },
      { detail: documented(LIST_REPORTS, 'operator') },
    )
    .get(
      '/:id',
      async ({ context, params }) => {
        const { callContext } = context;
        const report = await call(bus, reports.readReport, { reportId: reportNamed(params.id) }, callContext);
        return Response.json(shown(report), { headers: NO_STORE });
      },
      { detail: documented(READ_REPORT, 'operator') },
    )
    .patch(
      '/:id',
      async ({ context, operator, params }) => {
        const reportId = reportNamed(params.id);
        const review = await readReview(context, budget);
        const report = await actions.review({ context, operator }, { reportId, ...review });
        return Response.json(shown(report), { headers: NO_STORE });
      },
      { parse: 'none', detail: documented(REVIEW_REPORT, 'operator') },
    );
}

/** A report as the operator sees it, with who sent it. */
const shown = (report: reports.Report) => ({
  ...summary(report),
  reporterIp: report.reporterIp ?? null,
  reporterUserAgent: report.reporterUserAgent ?? null,
});

/** A report in a list. */
function summary({ namespace, id, receivedAt, reviewedAt, ...report }: reports.Report) {
  const { reportId, reportedUrl, category, description, reporterEmail, status, reviewerNote } = report;
  return {
    reportId,
    id: reportId,
    reportedUrl,
    category,
    description,
    reporterEmail,
    resourceNamespace: namespace,
    resourceId: id,
    resourceType: report.resourceType,
    status,
    reviewerNote,
    receivedAt: shownInstant(receivedAt),
    createdAt: shownInstant(receivedAt),
    reviewedAt: reviewedAt === null ? null : shownInstant(reviewedAt),
  };
}
