import { Elysia } from 'elysia';
import { errors } from '../../../../../shared/errors.ts';
import { readForm } from '../../../admission/read-body.ts';
import type { Operator } from '../../../auth/admin-password.ts';
import { asPerchError } from '../../../http/error-status.ts';
import { type RequestContext, requestScope } from '../../../http/request-context.ts';
import { documented } from '../../../openapi/documented.ts';
import type { AdminDependencies } from '../admitted.ts';
import { createOperatorActions } from '../operator-actions.ts';
import { accessPage } from './access-page.ts';
import { confirmPage, failurePage } from './action-pages.ts';
import { auditPage } from './audit-page.ts';
import { blocklistPage } from './blocklist-page.ts';
import { addressOf, type ConsolePage, type ConsoleRequest, consoleResponse, type Section } from './frame.ts';
import { healthPage } from './health-page.ts';
import { limitsPage } from './limits-page.ts';
import { notificationsPage } from './notifications-page.ts';
import { ACT, SHOW_CONSOLE, SHOW_REPORT, SHOW_SECTION } from './operations.ts';
import { ownersPage } from './owners-page.ts';
import { addressWith } from './parts.ts';
import { namesOf, perform } from './perform.ts';
import { type Plan, planOf } from './plan.ts';
import { problemPage } from './problem-page.ts';
import { publicationsPage } from './publications-page.ts';
import { reportPage } from './report-page.ts';
import { reportsPage } from './reports-page.ts';
import { scansPage } from './scans-page.ts';
import { refusedEntry } from './sign-in.ts';
import { takedownsPage } from './takedowns-page.ts';
import { type Words, wordsIn } from './words.ts';

type MakePage = (request: ConsoleRequest) => Promise<ConsolePage>;

/** Parts of the console at `/admin/<name>`; the health of the server is at `/admin` itself. */
const PAGES: ReadonlyMap<string, { section: Section; make: MakePage }> = new Map(
  Object.entries({
    reports: reportsPage,
    publications: publicationsPage,
    access: accessPage,
    owners: ownersPage,
    takedowns: takedownsPage,
    blocklist: blocklistPage,
    notifications: notificationsPage,
    scans: scansPage,
    limits: limitsPage,
    audit: auditPage,
  } satisfies Record<Exclude<Section, 'health'>, MakePage>).map(([name, make]) => [
    name,
    { section: name as Section, make },
  ]),
);

/** The operator's console (specification 18.8). */
export function consoleRoutes(deps: AdminDependencies) {
  const actions = createOperatorActions(deps);

  /** Answers the operator with a page of the console, and everybody else with a form for the password. */
  const show = async (context: RequestContext, section: Section, make: MakePage): Promise<Response> =>
    await forOperator(deps, context, async (request) => {
      const page = await make(request).catch((error: unknown) =>
        problemPage(request, error, addressOf(section)),
      );
      return consoleResponse(request, section, page);
    });

  return new Elysia()
    .use(requestScope)
    .get('/admin', ({ context }) => show(context, 'health', healthPage), {
      detail: documented(SHOW_CONSOLE, 'console'),
    })
    .get(
      '/admin/:section',
      ({ context, params }) => {
        const found = PAGES.get(params.section);
        if (found === undefined) throw errors.routeNotFound(context.path.slice(0, 100));
        return show(context, found.section, found.make);
      },
      { detail: documented(SHOW_SECTION, 'console') },
    )
    .get(
      '/admin/reports/:id',
      ({ context, params }) => show(context, 'reports', (request) => reportPage(request, params.id)),
      { detail: documented(SHOW_REPORT, 'console') },
    )
    .post(
      '/admin/actions',
      ({ context }) =>
        forOperator(deps, context, async (request) => {
          const { operator, words } = request;
          const fields = await readForm(context, deps.budget);
          const { session } = operator;
          if (session !== null) deps.adminSessions.requireForm(context, session, fields.get('mark') ?? '');
          const plan = planned(fields, deps.clock.now(), words);
          if ('problem' in plan) {
            const page = problemPage(request, plan.problem, '/admin');
            return consoleResponse(request, null, page);
          }
          if (plan.asks && fields.get('confirmed') !== '1')
            return consoleResponse(request, null, confirmPage(request, fields, plan));
          const performed = await perform(actions, { context, operator }, plan);
          if (performed.failed !== null)
            return consoleResponse(request, null, failurePage(request, plan, performed));
          return goTo(plan.back, namesOf(performed.done));
        }),
      { parse: 'none', detail: documented(ACT, 'console') },
    );
}

function planned(fields: URLSearchParams, now: number, words: Words): Plan | { problem: unknown } {
  try {
    return planOf(fields, now, words);
  } catch (problem) {
    return { problem };
  }
}

/** Lets the operator through; a browser without a sign-in gets the form for one. */
async function forOperator(
  deps: AdminDependencies,
  context: RequestContext,
  answer: (request: ConsoleRequest) => Promise<Response>,
): Promise<Response> {
  let operator: Operator;
  try {
    operator = await deps.admin.admit(context);
  } catch (error) {
    return refusedEntry(context, asPerchError(error));
  }
  return await answer({ deps, context, operator, words: wordsIn(context.language) });
}

function goTo(back: string, done: string): Response {
  const [path = '', query = ''] = back.split('?');
  const Location = addressWith(path, new URLSearchParams(query), {});
  return new Response(null, {
    status: 303,
    headers: {
      Location: `${Location}${Location.includes('?') ? '&' : '?'}done=${encodeURIComponent(done)}`,
      'Cache-Control': 'no-store',
    },
  });
}
