import type { Logger } from '../../shared/logger.ts';
import type { ErrorCode, PerchError } from '../../shared/perch-error.ts';
import { destinationIn, issueOf, type UnlockForms } from './auth/unlock-form.ts';
import { asPerchError, type ErrorBody, errorBody, errorHeaders } from './http/error-status.ts';
import type { ItemHosts } from './http/hosts.ts';
import { prefersHtml } from './http/preferred-type.ts';
import type { RequestContext } from './http/request-context.ts';
import { withoutTicket } from './items/item-address.ts';
import { agentPage } from './pages/agent-page.ts';
import { errorPage, unlockPage } from './pages/error-pages.ts';
import { servicePage } from './pages/service-page.ts';

interface ErrorDependencies {
  failures: FailureLog;
  unlockForms: UnlockForms;
  itemHosts: ItemHosts;
}

/** Makes the response to any thrown value (specification 22.1). Faults of the service itself are logged. */
export function errorResponse(
  { failures, unlockForms, itemHosts }: ErrorDependencies,
  context: RequestContext,
  thrown: unknown,
): Response {
  const error = asPerchError(thrown);
  const body = withSupportedTypes(errorBody(error, context.requestId), context);
  const headers = errorHeaders(error);
  if (body.status >= 500 && !error.isRefusal) failures.report(error, context.requestId);
  const hasAgentPage = isAtAgents(context, error.code);
  if (!(context.hasErrorPages || hasAgentPage) || !prefersHtml(context.request)) {
    return Response.json(body, { status: body.status, headers });
  }
  const form = askForPassword(context, error.code, unlockForms);
  const page =
    form ??
    (hasAgentPage
      ? agentPage(context)
      : errorPage({
          ...body,
          title: body.error,
          retryAfter: error.retryAfter,
          missing: error.missing,
          language: context.language,
        }));
  // Its address may have a ticket in it; without any referrer the form's origin would be missing, too.
  const quiet = { ...headers, 'Referrer-Policy': 'strict-origin' };
  // The way from the password form may end at the item's own host.
  const formsLeadTo = form === null ? null : (context.formsLeadTo ?? itemHosts.originOf(context, '*'));
  return servicePage(context, page, { status: body.status, headers: quiet, formsLeadTo });
}

/** Says to a create which types it takes, when that of the body, or what is in it, cannot be taken. */
const withSupportedTypes = (body: ErrorBody, { supportedTypes }: RequestContext): ErrorBody =>
  supportedTypes !== null && (body.status === 415 || body.status === 422)
    ? { ...body, supportedTypes }
    : body;

/** Whether somebody has opened the address of the agents' tools. */
const isAtAgents = ({ itemHost, path, method }: RequestContext, code: ErrorCode): boolean =>
  code === 'METHOD_NOT_ALLOWED' && itemHost === null && method === 'GET' && /^\/mcp\/?$/.test(path);

/**
 * A protected item answers a person with a form for its password. The address that the form is sent to has, too, where it
 * leads in the end: it is all that is known when the password was wrong, or when another page has sent the fields.
 */
function askForPassword(context: RequestContext, code: ErrorCode, unlockForms: UnlockForms): string | null {
  const { path } = context;
  if (context.itemHost !== null) return null;
  const isSentByAnother = code === 'CROSS_SITE_FORBIDDEN' && path.startsWith('/api/');
  if (code !== 'PASSWORD_REQUIRED' && code !== 'PASSWORD_WRONG' && !isSentByAnother) return null;
  const [askedNamespace = '', askedId = '', ...rest] = path
    .replace(/^\/api(?=\/)/, '')
    .split('/')
    .slice(1);
  // The path may have characters of them percent-encoded.
  const { namespace, id } = context.item ?? { namespace: askedNamespace, id: askedId };
  const asked = path.startsWith('/api/')
    ? (context.query().get('to') ?? '')
    : `${withoutTicket(rest.join('/'))}${context.querySuffix}`;
  const to = destinationIn(asked);
  const mark = unlockForms.csrfTokenFor(context, { namespace, id });
  if (mark !== null) context.isOpenToOrigins = false;
  const known = issueOf(context.request.headers.get('cookie'));
  return unlockPage({
    namespace,
    id,
    action: `/api/${namespace}/${id}/unlock${to === '' ? '' : `?to=${encodeURIComponent(to)}`}`,
    to,
    mark,
    issue: code === 'PASSWORD_WRONG' ? 'wrong' : known,
    language: context.language,
  });
}

/** Failures logged one by one in a period, and its length in ms: while a server is unavailable, every request fails. */
const MAX_TOLD = 100;
const PERIOD_MS = 10_000;

export interface FailureLog {
  /** Logs a failure of our own with its stack, or beyond the bound only counts it. */
  report(error: PerchError, requestId: string): void;
}

export function createFailureLog(log: Logger): FailureLog {
  let told = 0;
  let untold = 0;
  const endPeriod = (): void => {
    if (untold > 0) log.error({ failures: untold }, 'more requests failed');
    told = 0;
    untold = 0;
  };
  return {
    report(error, requestId) {
      if (told === 0 && untold === 0) setTimeout(endPeriod, PERIOD_MS).unref();
      if (told < MAX_TOLD) {
        told += 1;
        log.error({ error, requestId }, 'request failed');
      } else untold += 1;
    },
  };
}
