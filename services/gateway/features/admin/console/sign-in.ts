import { Elysia } from 'elysia';
import { errors, type PerchError } from '../../../../../shared/errors.ts';
import { inSeconds } from '../../../../../shared/pages/relative-time.ts';
import { readForm } from '../../../admission/read-body.ts';
import { asPerchError, errorBody, errorHeaders } from '../../../http/error-status.ts';
import { requireOwnPage } from '../../../http/own-page.ts';
import { prefersHtml } from '../../../http/preferred-type.ts';
import { type RequestContext, requestScope } from '../../../http/request-context.ts';
import { documented } from '../../../openapi/documented.ts';
import type { AdminDependencies } from '../admitted.ts';
import { actorOf } from '../operator-actions.ts';
import { outsideResponse } from './frame.ts';
import { SIGN_IN, SIGN_OUT } from './operations.ts';
import { backOf } from './plan.ts';
import { messageOf } from './problem-page.ts';
import { noConsolePage, signInPage } from './sign-in-page.ts';
import { type Words, wordsIn } from './words.ts';

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
        // The entry of the audit trail says by which way: the session is not there yet.
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
export function refusedEntry(context: RequestContext, error: PerchError): Response {
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
