import { Elysia } from 'elysia';
import { errors } from '../../../../../shared/errors.ts';
import { type RequestContext, requestScope } from '../../../http/request-context.ts';
import { documented } from '../../../openapi/documented.ts';
import type { Operation } from '../../../openapi/operation.ts';
import { ownPage } from '../../../openapi/responses.ts';
import type { AdminDependencies } from '../admitted.ts';
import { type OperatorOperation, operatorOperation } from '../operation.ts';
import { accessPage } from './access-page.ts';
import { actionRoutes } from './actions.ts';
import { auditPage } from './audit-page.ts';
import { blocklistPage } from './blocklist-page.ts';
import { addressOf, type ConsolePage, type ConsoleRequest, consoleResponse, type Section } from './frame.ts';
import { healthPage } from './health-page.ts';
import { limitsPage } from './limits-page.ts';
import { notificationsPage } from './notifications-page.ts';
import { ownersPage } from './owners-page.ts';
import { problemPage } from './problem-page.ts';
import { publicationsPage } from './publications-page.ts';
import { reportPage } from './report-page.ts';
import { reportsPage } from './reports-page.ts';
import { scansPage } from './scans-page.ts';
import { forOperator } from './sign-in.ts';
import { takedownsPage } from './takedowns-page.ts';

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

/** A page of the console that is only read. */
const shownPage = (
  fields: Omit<OperatorOperation, 'responses' | 'errors' | 'page'>,
  title: string,
): Operation =>
  operatorOperation({
    ...fields,
    responses: { '200': ownPage('The page.', `${title} · Console · Perch`) },
    errors: ['NOT_FOUND'],
    page: true,
  });

const SHOW_CONSOLE = shownPage(
  {
    operationId: 'showConsole',
    summary: "The operator's console",
    description:
      'How the server is. Whoever is not signed in gets a form for the admin password, with 401; the right one sets a cookie for `/admin` and `/api/admin` that lasts an hour. Scripts of other origins may neither read nor send.',
    'x-example-requests': [
      { summary: 'The console', status: 200 },
      { summary: 'Without a sign-in', status: 401 },
    ],
  },
  'Health',
);

const SHOW_SECTION = shownPage(
  {
    operationId: 'showConsoleSection',
    summary: 'A part of the console',
    description: 'Takes the filters of the list in `/api/admin` that it shows.',
    parameters: ['ConsoleSection'],
    'x-example-requests': [
      { summary: 'The reports', status: 200, path: { section: 'reports' } },
      { summary: 'The access log', status: 200, path: { section: 'access' } },
      { summary: 'One that is not there', status: 404, path: { section: 'nothing' } },
    ],
  },
  'Reports',
);

const SHOW_REPORT = shownPage(
  {
    operationId: 'showConsoleReport',
    summary: 'A report beside the item that it is about',
    description: 'The item is shown in a sandbox, without scripts unless `scripts=1` is asked for.',
    parameters: ['ReportId'],
    'x-example-requests': [
      { summary: 'A report', status: 200, needs: 'report' },
      {
        summary: 'One that is not there',
        status: 404,
        path: { id: 'no-such-report' },
      },
    ],
  },
  'Report',
);

/** The operator's console (specification 18.8). */
export function consoleRoutes(deps: AdminDependencies) {
  /** Answers the operator with a page of the console, and everybody else with a form for the password. */
  const show = async (context: RequestContext, section: Section, make: MakePage): Promise<Response> =>
    await forOperator(deps, context, async (request) => {
      const page = await make(request).catch((error: unknown) =>
        problemPage(request, error, { back: addressOf(section), fields: context.query(), filters: true }),
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
    .use(actionRoutes(deps));
}
