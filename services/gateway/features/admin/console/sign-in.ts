import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { errors, type PerchError } from '../../../../../shared/errors.ts';
import { html } from '../../../../../shared/pages/html.ts';
import { inSeconds } from '../../../../../shared/pages/relative-time.ts';
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
import { type ConsolePage, type ConsoleRequest, messageOf, outsideResponse } from './frame.ts';
import { backOf } from './plan.ts';
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
          return refusedSignIn(context, asPerchError(error), to);
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
      async ({ context }) => {
        const operator = await admin.admit(context);
        const fields = await readForm(context, budget);
        const { session } = operator;
        if (session !== null) adminSessions.requireForm(context, session, fields.get('mark') ?? '');
        const everywhere = fields.get('everywhere') === '1';
        if (session === null && !everywhere) return leadOn('/admin', []);
        const actor = actorOf({ context, operator });
        return leadOn('/admin', await adminSessions.end(context, actor, everywhere ? null : session));
      },
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
    return refusedEntry(context, asPerchError(error));
  }
  return await answer({ deps, context, operator, words: wordsIn(context.language) });
}

/** The form once more, with the problem. @throws the error for clients that show no pages, and what the form cannot mend */
function refusedSignIn(context: RequestContext, error: PerchError, to: string): Response {
  if (error.code === 'ADMIN_DISABLED') return refusedEntry(context, error);
  const { status } = errorBody(error, context.requestId);
  if (!prefersHtml(context.request) || status >= 500) throw error;
  const words = wordsIn(context.language);
  const problem = problemOf(error, context.requestId, words);
  const page = signInPage(words, { to, problem, fromElsewhere: false });
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
 * gets the form, too, as it brings no cookie.
 * @throws the error for clients that show no pages, and every other one
 */
function refusedEntry(context: RequestContext, error: PerchError): Response {
  if (!prefersHtml(context.request)) throw error;
  const words = wordsIn(context.language);
  if (error.code === 'ADMIN_DISABLED')
    return outsideResponse(context, { ...noConsolePage(words), status: 403 });
  const fromElsewhere = error.code === 'CROSS_SITE_FORBIDDEN' && isLinkFollowed(context.request);
  if (error.code !== 'ADMIN_UNAUTHORIZED' && !fromElsewhere) throw error;
  const to = context.method === 'GET' ? backOf(`${context.path}${context.querySuffix}`) : '/admin';
  const page = signInPage(words, { to, problem: null, fromElsewhere });
  return outsideResponse(context, { ...page, status: 401 }, errorHeaders(errors.adminUnauthorized()));
}

/** Whether a person has followed a link to a page: the browser then waits for a document in a tab of its own. */
const isLinkFollowed = ({ method, headers }: Request): boolean =>
  method === 'GET' &&
  headers.get('sec-fetch-mode') === 'navigate' &&
  headers.get('sec-fetch-dest') === 'document';

interface SignInInput {
  /** The page of the console to go to then. */
  to: string;
  /** The problem with the password just sent, or null. */
  problem: string | null;
  /** Whether a link of another site led here: the browser has then kept the cookie of a sign-in back. */
  fromElsewhere: boolean;
}

/** Asks for the admin password; posts `password` and `to` to `/admin/sign-in`. */
function signInPage({ texts }: Words, { to, problem, fromElsewhere }: SignInInput): ConsolePage {
  const { title, heading, lead, elsewhere, password } = texts.signIn;
  const described = problem === null ? null : html` aria-invalid="true" aria-describedby="password-error"`;
  const body = html`<h1>${heading}</h1>
<p class="muted">${lead}</p>
${fromElsewhere ? html`<p class="notice">${elsewhere.before}<a href="${to}">${elsewhere.link}</a>${elsewhere.after}</p>` : null}
<form method="post" action="/admin/sign-in" class="stack">
<input type="hidden" name="to" value="${to}">
<div class="field"><label for="password">${password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1000" required autofocus${described}>
${problem === null ? null : html`<p class="field-error" id="password-error" role="alert">${problem}</p>`}</div>
<button type="submit" class="button">${title}</button>
</form>`;
  return { title, body };
}

/** Says how to have a console, on a server without one. */
function noConsolePage({ texts }: Words): ConsolePage {
  const { title, heading, why, how } = texts.off;
  const body = html`<h1>${heading}</h1>
<p>${why.before}<code>/api/admin</code>${why.after}</p>
<p>${how.before}<code>ADMIN_PASSWORD</code>${how.between}<code>ADMIN_PASSWORD_FILE</code>${how.after}</p>`;
  return { title, body };
}
