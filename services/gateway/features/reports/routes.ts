import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { REPORT_CATEGORIES, submitReport } from '../../../../shared/contracts/reports.ts';
import { errors, type FieldIssue } from '../../../../shared/errors.ts';
import { readForm } from '../../admission/form-body.ts';
import { readJsonObject } from '../../admission/json-body.ts';
import { limited } from '../../admission/limited.ts';
import { HELD_PACE } from '../../http/body-reader.ts';
import { asPerchError, errorBody, errorHeaders } from '../../http/error-status.ts';
import { refuseHostedPage, requireOwnPage } from '../../http/own-page.ts';
import { currentContext, type RequestContext } from '../../http/request-context.ts';
import { documented } from '../../openapi/documented.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { parseReport } from './input.ts';
import * as operations from './openapi.ts';
import { reportPage } from './report-page.ts';
import { itemOfUrl } from './reported-item.ts';

/** Abuse reports: the API, and a form for people behind the top bar's link. */
export function reportRoutes(deps: UploadDependencies) {
  const { bus, limits, config, budget } = deps;

  const submit = async (context: RequestContext, fields: Record<string, unknown>) =>
    await call(bus, submitReport, parseReport(fields, context.requestId), context.callContext);

  const showForm = (
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
    return servicePage(currentContext(), reportPage(page), answer);
  };

  return new Elysia()
    .use(limited(deps))
    .post(
      '/api/reports',
      async ({ context }) => {
        refuseHostedPage(context, config.contentBaseUrl);
        const tooLarge = () =>
          errors.validationFailed([{ field: 'body', message: 'is too long for a report.' }]);
        const { reportId, receivedAt } = await submit(
          context,
          await readJsonObject(context, { bytes: REPORT_BYTES, tooLarge }, budget),
        );
        return Response.json({ reportId, receivedAt: new Date(receivedAt).toISOString() }, { status: 201 });
      },
      { limit: 'uploads', parse: 'none', detail: documented(operations.submit) },
    )
    .get(
      '/report',
      ({ context }) => {
        const item = context.query().get('item') ?? '';
        const { namespace, id } = itemOfUrl(`${config.baseUrl}/${item}`);
        return showForm(namespace === null ? '' : `${config.baseUrl}/${namespace}/${id}`, {});
      },
      { detail: documented(operations.form, 'page') },
    )
    .post(
      '/report',
      async ({ context }) => {
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
          return showForm(fields.reportedUrl ?? '', answer);
        }
      },
      { parse: 'none', detail: documented(operations.submitForm, 'page') },
    );
}

/** For a form that will be refused. */
const REFUSED_PACE = { ...HELD_PACE, windowMs: 1_000, totalMs: 2_000 };

/** Room for the longest description with every character escaped. */
const REPORT_BYTES = 131_072;
