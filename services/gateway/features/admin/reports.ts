import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as reports from '../../../../shared/contracts/reports.ts';
import { errors } from '../../../../shared/errors.ts';
import { numberedPage, parseNumberedPage, windowOf } from '../../http/numbered-page.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { instant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ADMIN, ADMIN_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { ADMIN_HEADERS, type AdminDependencies, admitted } from './admitted.ts';
import { parseReportStatus, readReview } from './review-input.ts';

const PAGE_SIZE = { default: 20, max: reports.REPORTS_PER_PAGE };
const headers = { 'Cache-Control': 'no-store' };

const SAMPLE_REPORT = {
  ...{ reportId: 'V1StGXR8_Z5jdHi6', reportedUrl: SAMPLE.url, category: 'phishing' },
  ...{ description: 'It asks for the password of my bank.', reporterEmail: null },
  ...{ resourceNamespace: 'public', resourceId: 'Ab3dE6gH9k', status: 'new', reviewerNote: null },
  ...{ receivedAt: SAMPLE.createdAt, reviewedAt: null },
};
const REVIEWED = {
  ...{ ...SAMPLE_REPORT, status: 'actioned', reviewerNote: 'Taken down.', reviewedAt: SAMPLE.updatedAt },
};

const LIST_REPORTS: Operation = {
  operationId: 'listReports',
  summary: 'Abuse reports',
  description: 'What people have reported, newest first.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters('ReportStatus', 'Page', 'ReportsSize', ...ADMIN),
  responses: {
    '200': ok(
      'A page of the list.',
      json('ReportPage', { page: { items: [SAMPLE_REPORT], total: 1, page: 1, size: 20, pages: 1 } }),
      [['Cache-Control']],
    ),
    ...failures(['VALIDATION_FAILED', 'ADMIN_FORBIDDEN', 'CROSS_SITE_FORBIDDEN', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    {
      ...{ summary: 'What is new', status: 200, needs: 'report', headers: ADMIN_HEADERS },
      query: { status: 'new', page: '1', size: '10' },
    },
    { summary: 'Without the password', status: 403 },
  ],
};

const READ_REPORT: Operation = {
  operationId: 'readReport',
  summary: 'An abuse report',
  description: 'One report and its review.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters('ReportId', ...ADMIN),
  responses: {
    '200': ok('The report.', json('Report', { new: SAMPLE_REPORT, reviewed: REVIEWED }), [['Cache-Control']]),
    ...failures(['ADMIN_FORBIDDEN', 'CROSS_SITE_FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'A report', status: 200, needs: 'report', headers: ADMIN_HEADERS },
    { summary: 'One that is not there', status: 404, headers: ADMIN_HEADERS, path: { id: 'no-such-report' } },
  ],
};

const REVIEW_REPORT: Operation = {
  operationId: 'reviewReport',
  summary: 'Review an abuse report',
  description:
    'Sets the status, the note, or both; what is left out stays. Of two reviewers at once the last one wins, field by field. `reviewedAt` is the last review; a report that becomes new again has none.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters('ReportId', ...ADMIN),
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
    ...failures([
      ...(['VALIDATION_FAILED', 'JSON_INVALID', 'ADMIN_FORBIDDEN', 'CROSS_SITE_FORBIDDEN'] as const),
      ...(['NOT_FOUND', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'] as const),
    ]),
  },
  'x-example-requests': (['action', 'dismissal', 'noNote'] as const).map((example) => ({
    ...{ summary: `With the body "${example}"`, status: 200, needs: 'report', headers: ADMIN_HEADERS },
    body: { type: 'application/json', example },
  })),
};

/** Reports as the operator reviews them (specification 18.2). */
export function adminReportRoutes(deps: AdminDependencies) {
  const { bus, budget } = deps;
  return new Elysia({ prefix: '/api/admin/reports' })
    .use(admitted(deps))
    .get(
      '',
      async ({ context }) => {
        const issues = collectIssues();
        const query = context.query();
        const page = parseNumberedPage(query, PAGE_SIZE, issues);
        const status = parseReportStatus(query.get('status')?.trim() || null, issues);
        issues.throwIfAny();
        const input = { status, ...windowOf(page) };
        const found = await call(bus, reports.listReports, input, context.callContext);
        return Response.json(numberedPage(found.reports.map(shown), found.total, page), { headers });
      },
      { detail: documented(LIST_REPORTS, 'operator') },
    )
    .get(
      '/:id',
      async ({ context, params }) => {
        const { callContext } = context;
        const report = await call(bus, reports.readReport, { reportId: reportNamed(params.id) }, callContext);
        return Response.json(shown(report), { headers });
      },
      { detail: documented(READ_REPORT, 'operator') },
    )
    .patch(
      '/:id',
      async ({ context, params }) => {
        const reportId = reportNamed(params.id);
        const review = await readReview(context, budget);
        const report = await call(bus, reports.reviewReport, { reportId, ...review }, context.callContext);
        return Response.json(shown(report), { headers });
      },
      { parse: 'none', detail: documented(REVIEW_REPORT, 'operator') },
    );
}

/** @throws NOT_FOUND when no report can have that id */
function reportNamed(id: string): string {
  if (/^[\w-]{1,64}$/.test(id)) return id;
  throw errors.reportNotFound(id);
}

function shown({ namespace, id, receivedAt, reviewedAt, ...report }: reports.Report) {
  const { reportId, reportedUrl, category, description, reporterEmail, status, reviewerNote } = report;
  return {
    ...{ reportId, reportedUrl, category, description, reporterEmail },
    ...{ resourceNamespace: namespace, resourceId: id, status, reviewerNote },
    receivedAt: instant(receivedAt),
    reviewedAt: reviewedAt === null ? null : instant(reviewedAt),
  };
}
