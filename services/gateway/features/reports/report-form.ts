import { Elysia } from 'elysia';
import { limited } from '../../admission/limited.ts';
import { readForm } from '../../admission/read-body.ts';
import { createSignedTokens } from '../../auth/signed-tokens.ts';
import { HELD_PACE } from '../../http/body-reader.ts';
import { asPerchError, errorBody, errorHeaders } from '../../http/error-status.ts';
import { requireOwnPage } from '../../http/own-page.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { redirect } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { formRequest, urlEncoded } from '../../openapi/forms.ts';
import { type Operation, schemaRef } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';
import { messageOf } from '../../pages/error-pages.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { type ReportPageInput, reportPage } from './report-page.ts';
import { itemOfOwnUrl } from './reported-item.ts';
import { REPORT_SAMPLE, sendReport } from './submit-report.ts';

/** Pace for a form that will be refused. */
const REFUSED_PACE = { ...HELD_PACE, windowMs: 1_000, totalMs: 2_000 };

const SHOW_FORM: Operation = {
  operationId: 'showReportForm',
  summary: 'The report form',
  description:
    'For people; the top bar links to it. The form leads here, too, when a report has arrived: with its number, signed.',
  tags: ['Reports'],
  security: [],
  parameters: parameters('ReportedItem'),
  responses: {
    '200': ownPage('The form.', 'Report a page · Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures([], { page: true }),
  },
  'x-example-requests': [{ summary: 'The form', status: 200, query: { item: 'public/Ab3dE6gH9k' } }],
};

const SUBMIT_FORM: Operation = {
  operationId: 'submitReportForm',
  summary: 'Send the report form',
  description:
    'The same as a form of a browser. What is wrong is told in the form. Only the form itself may send it: a browser that sends it for another page is refused.',
  tags: ['Reports'],
  security: [],
  parameters: parameters(),
  requestBody: {
    required: true,
    content: urlEncoded(schemaRef('ReportCreate'), REPORT_SAMPLE),
  },
  responses: {
    '303': redirect('It has arrived: to a page with its number.'),
    ...failures(['VALIDATION_FAILED', 'CROSS_SITE_FORBIDDEN', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'], {
      page: true,
    }),
  },
  'x-example-requests': [{ summary: 'A report', ...formRequest(303) }],
};

/** How long the address of the page with a report's number is good. */
const NUMBER_SECONDS = 86_400;

/** The report form for people, behind the top bar's link. */
export function reportFormRoutes(deps: UploadDependencies) {
  const { limits, budget, config } = deps;
  // A number is shown with its signature alone: otherwise any link could thank for a report that nobody has sent.
  const marks = createSignedTokens(config.cookieSecret, 'report number');
  const thanksAddress = (number: string): string => {
    const mark = marks.sign(number, Math.floor(Date.now() / 1000) + NUMBER_SECONDS);
    return `/report?${new URLSearchParams({ number, mark })}`;
  };
  return new Elysia()
    .use(limited(deps))
    .get(
      '/report',
      ({ context }) => {
        const query = context.query();
        const number = query.get('number') ?? '';
        if (marks.verify(number, query.get('mark') ?? ''))
          return showForm(deps, context, '', { sent: { reportId: number } });
        const item = query.get('item') ?? '';
        const { namespace, id } = itemOfOwnUrl(deps, context, `${context.baseUrl}/${item}`);
        return showForm(deps, context, namespace === null ? '' : `${context.baseUrl}/${namespace}/${id}`);
      },
      { detail: documented(SHOW_FORM, 'page') },
    )
    .post(
      '/report',
      async ({ context }) => {
        requireOwnPage(context);
        // A form that cannot be read counts, too.
        const refusal = await limits.admit(context, 'reports').then(
          () => null,
          (error: unknown) => error,
        );
        // The answer repeats the entered text, also to a client over the limit if the form arrives at once.
        const pace = refusal === null ? HELD_PACE : REFUSED_PACE;
        const fields = Object.fromEntries(await readForm(context, budget, pace));
        try {
          if (refusal !== null) throw refusal;
          const { reportId } = await sendReport(deps, context, fields);
          const headers = { Location: thanksAddress(reportId), 'Cache-Control': 'no-store' };
          return new Response(null, { status: 303, headers });
        } catch (error) {
          const failure = asPerchError(error);
          const { status, code, message, details: issues = [] } = errorBody(failure, context.requestId);
          if (status >= 500) throw error;
          const { retryAfter } = failure;
          const problem = messageOf({ code, message, retryAfter, language: context.language });
          const headers = errorHeaders(failure);
          return showForm(
            deps,
            context,
            fields.reportedUrl ?? '',
            { problem, issues, entered: fields },
            { status, headers },
          );
        }
      },
      { parse: 'none', detail: documented(SUBMIT_FORM, 'page') },
    );
}

/** The form; `shown` adds the text that was entered, its issues, or the report that was stored. */
function showForm(
  deps: UploadDependencies,
  context: RequestContext,
  reportedUrl: string,
  shown: Partial<ReportPageInput> = {},
  answer: { status?: number; headers?: Record<string, string> } = {},
): Response {
  const empty = { reportedUrl, sent: null, problem: null };
  return servicePage(
    context,
    reportPage({
      ...empty,
      ...itemOfOwnUrl(deps, context, reportedUrl),
      language: context.language,
      ...shown,
    }),
    answer,
  );
}
