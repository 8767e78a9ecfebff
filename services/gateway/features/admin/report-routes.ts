import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as reports from '../../../../shared/contracts/reports.ts';
import { errors } from '../../../../shared/errors.ts';
import { numberedPage, parseNumberedPage, windowOf } from '../../http/numbered-page.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { instant } from '../../items/serializer.ts';
import { documented } from '../../openapi/documented.ts';
import { admitted } from './admitted.ts';
import type { AdminDependencies } from './dependencies.ts';
import * as operations from './report-openapi.ts';
import { parseReportStatus, readReview } from './review-input.ts';

const PAGE_SIZE = { default: 20, max: reports.REPORTS_PER_PAGE };
const headers = { 'Cache-Control': 'no-store' };

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
      { detail: documented(operations.list, 'operator') },
    )
    .get(
      '/:id',
      async ({ context, params }) => {
        const { callContext } = context;
        const report = await call(bus, reports.readReport, { reportId: reportNamed(params.id) }, callContext);
        return Response.json(shown(report), { headers });
      },
      { detail: documented(operations.read, 'operator') },
    )
    .patch(
      '/:id',
      async ({ context, params }) => {
        const reportId = reportNamed(params.id);
        const review = await readReview(context, budget);
        const report = await call(bus, reports.reviewReport, { reportId, ...review }, context.callContext);
        return Response.json(shown(report), { headers });
      },
      { parse: 'none', detail: documented(operations.review, 'operator') },
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
