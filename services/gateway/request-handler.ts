import type { Server } from 'bun';
import { errors } from '../../shared/errors.ts';
import { accessEventOf } from './access-log/access-events.ts';
import type { Holding } from './admission/fair-budget.ts';
import type { RequestKind } from './admission/metrics.ts';
import type { GatewayApp } from './app.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { errorResponse } from './error-response.ts';
import { addOwnHeaders, CORS_HEADERS, OWN_ORIGIN_ONLY, preflight } from './http/common-headers.ts';
import { RequestContext } from './http/request-context.ts';
import type { Responders } from './items/item-read.ts';
import { resolveShortUrl } from './items/resolve-short-url.ts';
import { parseShortUrl, type ShortUrl } from './items/short-url.ts';

export interface RequestHandler {
  /** Rejects only when the answer itself cannot be made: whatever else goes wrong is an answer. */
  answer(request: Request, server: Server<unknown>): Promise<Response>;
}

/** Neither limited, nor logged, nor asked for a User-Agent: they are not the interface. */
const STATIC = /^\/(?:healthz|readyz|metrics|favicon\.ico|assets\/.*)$/;

const SHORT_URL_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * What every request passes: it gets an id, is told apart (short URL or one of the app's routes), answered, and the
 * answer gets its common headers, is counted and logged.
 */
export function createRequestHandler(
  deps: GatewayDependencies,
  responders: Responders,
  app: GatewayApp,
): RequestHandler {
  const { accessEvents, config, failures, metrics, places, loadShedding, unlockForms } = deps;
  const contentHost = config.contentBaseUrl === null ? null : new URL(config.contentBaseUrl).host;

  const route = async (context: RequestContext, place: Holding, item: ShortUrl | null): Promise<Response> => {
    const { method, path, request } = context;
    context.isOpenToOrigins = item !== null || !OWN_ORIGIN_ONLY.test(path);
    if (!context.hasHost) throw errors.hostInvalid();
    if (method === 'OPTIONS')
      return preflight(item === null ? app.allowedAt(path) : SHORT_URL_METHODS, context);
    if (!STATIC.test(path)) {
      if (!place.tryTake(1)) throw loadShedding.shed('requests');
      if (!request.headers.get('user-agent')?.trim()) throw errors.userAgentRequired();
    }
    const onContentHost = contentHost !== null && request.headers.get('host') === contentHost;
    context.onContentHost = onContentHost;
    if (item === null) {
      if (onContentHost && OWN_PAGES.test(path)) return toHost(config.baseUrl, context);
      if (onContentHost && !STATIC.test(path) && !UNLOCK.test(path)) throw errors.routeNotFound(path);
      return await app.handle(context);
    }
    if (method !== 'GET') throw errors.methodNotAllowed(method, SHORT_URL_METHODS);
    if (contentHost !== null && !onContentHost) return toHost(config.contentBaseUrl ?? '', context);
    // On a host of their own pages share an origin: a worker of one would stand before all the others.
    if (request.headers.has('service-worker')) throw errors.contentNotFound(item.namespace, item.id);
    return await resolveShortUrl(deps, responders, context, item);
  };

  return {
    async answer(request, server) {
      const context = new RequestContext(request, server, config.trustProxy);
      metrics.requestStarted();
      const place = places.open(context.clientKey);
      try {
        const item = parseShortUrl(context.path);
        const answer = finish(context, await respond(context, place, item));
        const seconds = (performance.now() - context.startedAt) / 1000;
        const kind = kindOf(context, item);
        metrics.observe(kind, request.method, answer.status, seconds);
        if (kind !== 'static') logAnswer(context, answer.status, seconds);
        return answer;
      } finally {
        metrics.requestEnded();
        place.release();
        context.end();
      }
    },
  };

  async function respond(context: RequestContext, place: Holding, item: ShortUrl | null): Promise<Response> {
    try {
      return await route(context, place, item);
    } catch (error) {
      const navigable = !FOR_PROGRAMS.test(context.path) || UNLOCK.test(context.path);
      return errorResponse(context, error, { failures, navigable, unlockForms });
    }
  }

  function logAnswer(context: RequestContext, status: number, seconds: number): void {
    accessEvents.record(accessEventOf(context, status, seconds));
  }
}

/** What the service's pages link to. Its error pages and password forms are also seen on the content host. */
const OWN_PAGES = /^\/(?:report|docs|gallery|stats|robots\.txt|sitemap\.xml|llms\.txt|llms-full\.txt)?$/;

/** Where nobody goes by a link or by typing. Anywhere else a person may end up, by a mistyped address, too. */
const FOR_PROGRAMS =
  /^\/(?:healthz|readyz|metrics|favicon\.ico|robots\.txt|sitemap\.xml|llms(?:-full)?\.txt|docs\/json|(?:api|assets)(?:\/.*)?)$/;

/** The one address of the API that a form of ours leads to. */
const UNLOCK = /^\/api\/[^/]+\/[^/]+\/unlock$/;

function toHost(baseUrl: string, { path, querySuffix }: RequestContext): Response {
  return new Response(null, { status: 302, headers: { Location: `${baseUrl}${path}${querySuffix}` } });
}

function kindOf({ path }: RequestContext, item: ShortUrl | null): RequestKind {
  if (item !== null) return 'page';
  return STATIC.test(path) ? 'static' : 'api';
}

/** Adds the common headers. Of the answer to a HEAD, Bun sends the headers only, the body's length among them. */
function finish(context: RequestContext, response: Response): Response {
  const { headers } = response;
  if (context.isOpenToOrigins)
    for (const name in CORS_HEADERS) if (!headers.has(name)) headers.set(name, CORS_HEADERS[name] ?? '');
  addOwnHeaders(headers, context);
  headers.set('X-Content-Type-Options', 'nosniff');
  return response;
}
