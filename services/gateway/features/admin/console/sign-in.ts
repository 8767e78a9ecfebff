import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { errors } from '../../../../../shared/errors.ts';
import type { PerchError } from '../../../../../shared/perch-error.ts';
import { inSeconds } from '../../../../../shared/wording/relative-time.ts';
import { readForm } from '../../../admission/read-body.ts';
import type { Operator } from '../../../auth/admin-password.ts';
import { asPerchError, errorBody, errorHeaders } from '../../../http/error-status.ts';
import { requireOwnPage } from '../../../http/own-page.ts';
import { prefersHtml } from '../../../http/preferred-type.ts';
import { type RequestContext, requestScope } from '../../../http/request-context.ts';
import { redirect } from '../../../openapi/answers.ts';
import { documented } from '../../../openapi/documented.ts';
import { formRequest, urlEncoded } from '../../../openapi/forms.ts';
import type { Operation } from '../../../openapi/operation.ts';
import { parameters } from '../../../openapi/parameters.ts';
import { ADMIN_CODES, failures } from '../../../openapi/responses.ts';
import type { AdminDependencies } from '../admitted.ts';
import { operatorOperation } from '../operation.ts';
import { actorOf } from '../operator-actions.ts';
import { type ConsoleRequest, consoleResponse, messageOf, outsideResponse } from './frame.ts';
import { backOf } from './plan.ts';
import { earlierFormPage, noConsolePage, signInPage } from './sign-in-pages.ts';
import { type Words, wordsIn } from './words.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

const SIGN_IN: Operation = {
  operationId: 'signIn',
  summary: 'Sign in to the console',
  description:
    'Where the form of the console goes. Wrong passwords count as those of `X-Admin-Password` do. A browser that sends it for another page is refused.',
  tags: ['Admin'],
  security: [],
  parameters: parameters(),
  requestBody: {
    required: true,
    content: urlEncoded(
      Type.Object({
        password: Type.String({ minLength: 1 }),
        to: text('The page of the console to go to then.'),
      }),
      { password: 'correct horse battery staple', to: '/admin/reports' },
    ),
  },
  responses: {
    '303': redirect('To the console.', ['Set-Cookie']),
    ...failures(['NOT_FOUND', 'UNSUPPORTED_MEDIA_TYPE', ...ADMIN_CODES], { page: true }),
  },
  'x-example-requests': [{ summary: 'A sign-in', ...formRequest(303) }],
};

const SIGN_OUT = operatorOperation({
  operationId: 'signOut',
  summary: 'Sign out of the console',
  description: 'Of this browser, or with `everywhere` of all of them, at once and on every gateway.',
  requestBody: {
    required: true,
    content: urlEncoded(
      Type.Object({
        everywhere: text('`1`: end every sign-in.'),
        mark: text('Of a form of the console; asked of whoever has the cookie.'),
      }),
      { everywhere: '1' },
    ),
  },
  responses: {
    '303': redirect('To the form.', ['Set-Cookie']),
  },
  errors: ['NOT_FOUND', 'UNSUPPORTED_MEDIA_TYPE'],
  page: true,
  'x-example-requests': [{ summary: 'Everywhere', ...formRequest(303) }],
});

/** Signing in to the console and out of it (specification 18.8). */
export function signInRoutes(deps: AdminDependencies) {
  const { admin, adminSessions, budget } = deps;
  return new Elysia()
    .use(requestScope)
    .post(
      '/admin/sign-in',
      async ({ context }) => {
        requireOwnPage(context);
        const fields = await readForm(context, budget);
        const to = backOf(fields.get('to') ?? '');
        try {
          await admin.checkPassword(context, fields.get('password') ?? '');
        } catch (error) {
          return await refusedSignIn(deps, context, asPerchError(error), to);
        }
        // The audit entry is to say `console`; `actorOf` would say `api`, as there is no session yet.
        const actor = { ...actorOf({ context, operator: { session: null } }), via: 'console' as const };
        const isSecure = context.baseUrl.startsWith('https:');
        return leadOn(to, await adminSessions.open(context, actor, isSecure));
      },
      { parse: 'none', detail: documented(SIGN_IN, 'console') },
    )
    .post(
      '/admin/sign-out',
      ({ context }) =>
        forForm(deps, context, async ({ operator }, fields) => {
          const { session } = operator;
          const everywhere = fields.get('everywhere') === '1';
          if (session === null && !everywhere) return leadOn('/admin', []);
          const actor = actorOf({ context, operator });
          return leadOn('/admin', await adminSessions.end(context, actor, everywhere ? null : session));
        }),
      { parse: 'none', detail: documented(SIGN_OUT, 'console') },
    );
}

function leadOn(to: string, cookies: readonly string[]): Response {
  const headers = new Headers({ Location: to, 'Cache-Control': 'no-store' });
  for (const cookie of cookies) headers.append('Set-Cookie', cookie);
  return new Response(null, { status: 303, headers });
}

/** Lets the operator through; a browser without a sign-in gets the form for one. */
export async function forOperator(
  deps: AdminDependencies,
  context: RequestContext,
  answer: (request: ConsoleRequest) => Promise<Response>,
): Promise<Response> {
  let operator: Operator;
  try {
    operator = await deps.admin.admit(context);
  } catch (error) {
    return await refusedEntry(deps, context, asPerchError(error));
  }
  return await answer({ deps, context, operator, words: wordsIn(context.language) });
}

/**
 * Lets a form of the console through that was made for the operator's own sign-in, or comes with the password. With one of an
 * earlier sign-in a browser gets a page that leads back to it.
 * @throws CROSS_SITE_FORBIDDEN for such a form of a client that shows no pages
 */
export const forForm = (
  deps: AdminDependencies,
  context: RequestContext,
  answer: (request: ConsoleRequest, fields: URLSearchParams) => Promise<Response>,
): Promise<Response> =>
  forOperator(deps, context, async (request) => {
    const fields = await readForm(context, deps.budget);
    const { session } = request.operator;
    if (session === null || deps.adminSessions.isOwnForm(context, session, fields.get('mark') ?? ''))
      return await answer(request, fields);
    if (!prefersHtml(context.request)) throw errors.crossSiteForbidden();
    const back = backOf(fields.get('back') ?? '');
    return consoleResponse(request, null, earlierFormPage(request.words, fields, back));
  });

/** The form once more, with the problem. @throws the error for clients that show no pages, and what the form cannot mend */
async function refusedSignIn(
  deps: AdminDependencies,
  context: RequestContext,
  error: PerchError,
  to: string,
): Promise<Response> {
  if (error.code === 'ADMIN_DISABLED') return await refusedEntry(deps, context, error);
  const { status } = errorBody(error, context.requestId);
  if (!prefersHtml(context.request) || status >= 500) throw error;
  const words = wordsIn(context.language);
  const problem = problemOf(error, context.requestId, words);
  const page = signInPage(words, { to, problem, notice: null, sent: null });
  return outsideResponse(context, { ...page, status }, errorHeaders(error));
}

function problemOf(error: PerchError, requestId: string, words: Words): string {
  const { wrong, lockedOut } = words.texts.signIn;
  if (error.code === 'ADMIN_UNAUTHORIZED') return wrong;
  if (error.code === 'RATE_LIMITED' && error.retryAfter !== null)
    return lockedOut(inSeconds(error.retryAfter, words.wording));
  return messageOf(error, requestId, words);
}

/**
 * A page for a browser that is not let in: the form for the password, or how to have a console. A link of another site
 * gets the form, too, as it brings no cookie. Behind a form of the console it leads back to the page of that form.
 * @throws the error for clients that show no pages, and every other one
 */
async function refusedEntry(
  deps: AdminDependencies,
  context: RequestContext,
  error: PerchError,
): Promise<Response> {
  if (!prefersHtml(context.request)) throw error;
  const words = wordsIn(context.language);
  if (error.code === 'ADMIN_DISABLED')
    return outsideResponse(context, { ...noConsolePage(words), status: 403 });
  const fromElsewhere = error.code === 'CROSS_SITE_FORBIDDEN' && isLinkFollowed(context.request);
  if (error.code !== 'ADMIN_UNAUTHORIZED' && !fromElsewhere) throw error;
  const sent = context.method === 'POST' ? await readForm(context, deps.budget) : null;
  const to = backOf(sent === null ? `${context.path}${context.querySuffix}` : (sent.get('back') ?? ''));
  const notice = fromElsewhere ? 'elsewhere' : sent === null ? null : 'ended';
  const page = signInPage(words, { to, problem: null, notice, sent });
  return outsideResponse(context, { ...page, status: 401 }, errorHeaders(errors.adminUnauthorized()));
}

/** Whether a person has followed a link to a page: the browser then waits for a document in a tab of its own. */
const isLinkFollowed = ({ method, headers }: Request): boolean =>
  method === 'GET' &&
  headers.get('sec-fetch-mode') === 'navigate' &&
  headers.get('sec-fetch-dest') === 'document';
