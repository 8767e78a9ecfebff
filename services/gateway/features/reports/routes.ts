import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { REPORT_CATEGORIES, submitReport } from '../../../../shared/contracts/reports.ts';
import { errors, type FieldFault } from '../../../../shared/errors.ts';
import { readForm } from '../../admission/form-body.ts';
import { readJsonObject } from '../../admission/json-body.ts';
import { HELD_PACE } from '../../http/body-reader.ts';
import { asPerchError, errorBody, errorHeaders } from '../../http/error-status.ts';
import { refuseHostedPage, requireOwnPage } from '../../http/own-page.ts';
import { type Exchange, exchangeOf } from '../../http/request-context.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { parseReport } from './input.ts';
import { reportPage } from './report-page.ts';
import { itemOfUrl } from './reported-item.ts';

/** Abuse reports: the API, and a form for people behind the top bar's link. */
export function reportRoutes(deps: UploadDependencies) {
  const { bus, limits, config, budget } = deps;

  const submit = async (exchange: Exchange, fields: Record<string, unknown>) =>
    await call(bus, submitReport, parseReport(fields, exchange.requestId), exchange.context);

  const showForm = (
    request: Request,
    reportedUrl: string,
    {
      problem = null,
      faults = [],
      entered = {},
      ...answer
    }: {
      problem?: string | null;
      faults?: readonly FieldFault[];
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
      faults,
      entered,
    };
    return servicePage(exchangeOf(request), reportPage(page), answer);
  };

  return new Elysia()
    .post(
      '/api/reports',
      async ({ request }) => {
        const exchange = exchangeOf(request);
        refuseHostedPage(exchange, config.contentBaseUrl);
        await limits.admit(exchange, 'uploads');
        const tooLarge = () =>
          errors.validationFailed([{ field: 'body', message: 'is too long for a report.' }]);
        const { reportId, receivedAt } = await submit(
          exchange,
          await readJsonObject(exchange, { bytes: REPORT_BYTES, tooLarge }, budget),
        );
        return Response.json({ reportId, receivedAt: new Date(receivedAt).toISOString() }, { status: 201 });
      },
      { parse: 'none' },
    )
    .get('/report', ({ request }) => {
      const item = exchangeOf(request).query().get('item') ?? '';
      const { namespace, id } = itemOfUrl(`${config.baseUrl}/${item}`);
      return showForm(request, namespace === null ? '' : `${config.baseUrl}/${namespace}/${id}`, {});
    })
    .post(
      '/report',
      async ({ request }) => {
        const exchange = exchangeOf(request);
        requireOwnPage(exchange);
        // A form that cannot be read counts, too.
        const refusal = await limits.admit(exchange, 'uploads').then(
          () => null,
          (error: unknown) => error,
        );
        // What was entered comes back in the answer, also to who is over the limit if it comes at once.
        const pace = refusal === null ? HELD_PACE : REFUSED_PACE;
        const fields = Object.fromEntries(await readForm(exchange, budget, pace));
        try {
          if (refusal !== null) throw refusal;
          const sent = await submit(exchange, fields);
          const page = {
            reportedUrl: '',
            namespace: null,
            id: null,
            categories: REPORT_CATEGORIES,
            sent,
            problem: null,
          };
          return servicePage(exchange, reportPage(page), { status: 201 });
        } catch (error) {
          const failure = asPerchError(error);
          const { status, message: problem, details: faults = [] } = errorBody(failure, exchange.requestId);
          if (status >= 500) throw error;
          const headers = errorHeaders(failure);
          const answer = { problem, faults, entered: fields, status, headers };
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
