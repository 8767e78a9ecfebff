import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { REPORT_CATEGORIES, submitReport } from '../../../../shared/contracts/reports.ts';
import { errors, type FieldIssue } from '../../../../shared/errors.ts';
import { readForm } from '../../admission/form-body.ts';
import { readJsonObject } from '../../admission/json-body.ts';
import { HELD_PACE } from '../../http/body-reader.ts';
import { asPerchError, errorBody, errorHeaders } from '../../http/error-status.ts';
import { refuseHostedPage, requireOwnPage } from '../../http/own-page.ts';
import { type RequestContext, requestContextOf } from '../../http/request-context.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { parseReport } from './input.ts';
import { reportPage } from './report-page.ts';
import { itemOfUrl } from './reported-item.ts';

/** Abuse reports: the API, and a form for people behind the top bar's link. */
export function reportRoutes(deps: UploadDependencies) {
  const { bus, limits, config, budget } = deps;

  const submit = async (context: RequestContext, fields: Record<string, unknown>) =>
    await call(bus, submitReport, parseReport(fields, context.requestId), context.callContext);

  const showForm = (
    request: Request,
    reportedUrl: string,
    {
      problem = null,
      issues = [],
      entered = {},
      ...answer
    }: {
      problem?: string | null;
      issues?: readonly FieldIssue[];
      entered?: object;
      status?: number;
      headers?: Record<string, string>;
    },
  ): Response => {
    const page = {
      reportedUrl,
      ...itemOfUrl(reportedUrl),
      categories: REPORT_CATEGORIES,
      sent: null,
      problem,
      issues,
      entered,
    };
    return servicePage(requestContextOf(request), reportPage(page), answer);
  };

  return new Elysia()
    .post(
      '/api/reports',
      async ({ request }) => {
        const context = requestContextOf(request);
        refuseHostedPage(context, config.contentBaseUrl);
        await limits.admit(context, 'uploads');
        const tooLarge = () =>
          errors.validationFailed([{ field: 'body', message: 'is too long for a report.' }]);
        const { reportId, receivedAt } = await submit(
          context,
          await readJsonObject(context, { bytes: REPORT_BYTES, tooLarge }, budget),
        );
        return Response.json({ reportId, receivedAt: new Date(receivedAt).toISOString() }, { status: 201 });
      },
      { parse: 'none' },
    )
    .get('/report', ({ request }) => {
      const item = requestContextOf(request).query().get('item') ?? '';
      const { namespace, id } = itemOfUrl(`${config.baseUrl}/${item}`);
      return showForm(request, namespace === null ? '' : `${config.baseUrl}/${namespace}/${id}`, {});
    })
    .post(
      '/report',
      async ({ request }) => {
        const context = requestContextOf(request);
        requireOwnPage(context);
        // A form that cannot be read counts, too.
        const refusal = await limits.admit(context, 'uploads').then(
          () => null,
          (error: unknown) => error,
        );
        // What was entered comes back in the answer, also to who is over the limit if it comes at once.
        const pace = refusal === null ? HELD_PACE : REFUSED_PACE;
        const fields = Object.fromEntries(await readForm(context, budget, pace));
        try {
          if (refusal !== null) throw refusal;
          const sent = await submit(context, fields);
          const page = {
            reportedUrl: '',
            namespace: null,
            id: null,
            categories: REPORT_CATEGORIES,
            sent,
            problem: null,
          };
          return servicePage(context, reportPage(page), { status: 201 });
        } catch (error) {
          const failure = asPerchError(error);
          const { status, message: problem, details: issues = [] } = errorBody(failure, context.requestId);
          if (status >= 500) throw error;
          const headers = errorHeaders(failure);
          const answer = { problem, issues, entered: fields, status, headers };
          return showForm(request, fields.reportedUrl ?? '', answer);
        }
      },
      { parse: 'none' },
    );
}

/** For a form that will be refused. */
const REFUSED_PACE = { ...HELD_PACE, windowMs: 1_000, totalMs: 2_000 };

/** Room for the longest description with every character escaped. */
const REPORT_BYTES = 131_072;
