import type { Server } from 'bun';
import { errors } from '../../shared/errors.ts';
import { loggedRequestOf } from './access-log/logged-request.ts';
import type { Holding } from './admission/fair-budget.ts';
import type { GatewayApp } from './app.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { errorResponse } from './error-response.ts';
import { answerIndexNowKey } from './features/discovery/routes.ts';
import { answerQrCode, qrAddress } from './features/share/qr-code.ts';
import type { PreparedAnswers } from './hot-reads/prepared-answers.ts';
import { connectionOf } from './http/client.ts';
import { addCommonHeaders, preflight } from './http/common-headers.ts';
import { inBestForm } from './http/compress.ts';
import { refuseModified, unlessUnmodified } from './http/conditional.ts';
import { drainBeforeClose } from './http/drain-body.ts';
import type { FastPathRead, FastPathWrite } from './http/fast-path.ts';
import { isHostOf } from './http/hosts.ts';
import { methodHint } from './http/method-hints.ts';
import { RequestContext } from './http/request-context.ts';
import { SURFACES, type Treatment } from './http/surface.ts';
import { answerItemHost, findDomainHost } from './items/answer-item-host.ts';
import { takeBackEarlyView } from './items/early-visit.ts';
import { parseShortUrl, type ShortUrl } from './items/item-address.ts';
import { type Responders, resolveShortUrl } from './items/resolve-short-url.ts';
import type { PreparedPutAnswers } from './kinds/kv/hot-puts/prepared-put-answers.ts';
import type { RequestKind } from './metrics.ts';

export interface RequestHandler {
  /**
   * Rejects only when the response itself cannot be made: all other failures become error responses.
   * @param earlier what a fast path has done for the request
   */
  answer(
    request: Request,
    server: Server<unknown>,
    earlier?: FastPathRead | FastPathWrite,
  ): Promise<Response>;
}

/** Where a request goes, decided by its host and path. */
interface Destination {
  /** The item whose short URL the path is; `null`: it is none, or the host is an item's own. */
  item: ShortUrl | null;
  isOfItem: boolean;
  treatment: Treatment;
}

const SHORT_URL_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Makes the handler that every request passes. The handler gives the request an id, dispatches it (a short URL, or one of
 * the app's routes), sets the common headers of the response, counts it and logs it.
 */
export function createRequestHandler(
  deps: GatewayDependencies,
  responders: Responders,
  app: GatewayApp,
  pages?: PreparedAnswers,
  puts?: PreparedPutAnswers,
): RequestHandler {
  const { accessEvents, cache, config, domains, itemHosts, metrics, slots, loadShedding } = deps;
  const content = config.contentBaseUrl === null ? null : new URL(config.contentBaseUrl);

  /** How a request is treated. Short URLs are treated as pages: people follow links to them. */
  const treatmentOf = ({ path, request }: RequestContext, isOfItem: boolean): Treatment =>
    SURFACES[isOfItem ? 'page' : app.addressOf(path).surfaceFor(request.method)];

  /** Whether a request may be refused for its client's limit of reads. A path below `/assets/` may be that of a site's file. */
  const isLimited = (context: RequestContext): boolean =>
    context.method !== 'OPTIONS' &&
    (context.path.startsWith('/assets/') || treatmentOf(context, false).isLogged);

  /** Finds the destination of a request, and sets on its context how even an error answer is treated. */
  const destinationOf = (context: RequestContext): Destination => {
    const item = context.itemHost === null ? parseShortUrl(context.path) : null;
    const isOfItem = item !== null || context.itemHost !== null;
    const treatment = treatmentOf(context, isOfItem);
    context.isOpenToOrigins = treatment.isOpenToOrigins;
    context.hasErrorPages = treatment.hasErrorPages;
    return { item, isOfItem, treatment };
  };

  const route = async (
    context: RequestContext,
    slot: Holding,
    { item, isOfItem, treatment: { isLogged, onContentHost } }: Destination,
  ): Promise<Response> => {
    const { method, path, request } = context;
    if (!context.hasHost) throw errors.hostInvalid();
    context.onContentHost = content !== null && isHostOf(request.headers.get('host'), content);
    const isMissing = context.onContentHost && item === null && onContentHost === 'missing';
    if (method === 'OPTIONS')
      return preflight(isOfItem ? SHORT_URL_METHODS : isMissing ? [] : methodsFor(path), context);
    if (isLogged) {
      if (!slot.tryTake(1)) throw loadShedding.shed('requests');
      if (!request.headers.get('user-agent')?.trim()) throw errors.userAgentRequired();
    }
    if (context.itemHost !== null) {
      if (method !== 'GET') throw errors.methodNotAllowed(method, SHORT_URL_METHODS);
      return await answerItemHost(deps, responders, context, context.itemHost);
    }
    // Search engines fetch the IndexNow key file from the items' host; the operator chooses its name.
    const keyFile =
      item === null && method === 'GET' && methodsOf(path).length === 0
        ? answerIndexNowKey(path, config.indexNowKey)
        : null;
    if (keyFile !== null) return keyFile;
    if (item === null) {
      if (context.onContentHost && onContentHost === 'redirected') return toHost(context.baseUrl, context);
      if (isMissing) throw errors.routeNotFound(path);
      return await app.handle(context);
    }
    if (method !== 'GET') throw errors.methodNotAllowed(method, SHORT_URL_METHODS, methodHint(context));
    // On the content host all hosted pages share an origin: the service worker of one could intercept all the others.
    if (request.headers.has('service-worker')) throw errors.contentNotFound(item.namespace, item.id);
    const qr = qrAddress(item);
    const picture = qr === null ? null : await answerQrCode(deps, context, item, qr);
    if (picture !== null) return picture;
    if (content !== null && !context.onContentHost) return toHost(config.contentBaseUrl ?? '', context);
    return await resolveShortUrl(deps, responders, context, item);
  };

  const methodsOf = (path: string): string[] => app.addressOf(path).methods;

  /** The methods that an address answers, those of files that are put there among them. */
  const methodsFor = (path: string): string[] => {
    const { methods, takesUploads } = app.addressOf(path);
    return takesUploads ? [...new Set([...methods, 'OPTIONS', 'PUT'])].sort() : methods;
  };

  return {
    async answer(request, server, earlier) {
      const context = new RequestContext(request, server, config, earlier);
      context.connection = connectionOf(request, server);
      metrics.requestStarted();
      const slot = slots.open(context.clientKey);
      context.slot = slot;
      try {
        context.itemHost = itemHosts.hostOf(context);
        const name = context.itemHost === null ? domains.nameIn(request.headers.get('host')) : null;
        let destination = destinationOf(context);
        let made: Response;
        try {
          if (name !== null) {
            await findDomainHost(deps, context, name, isLimited(context));
            // The host may be an item's.
            destination = destinationOf(context);
          }
          made = await route(context, slot, destination);
          // For content in memory: what is read from a store is refused before (`respondWithBytes`, `answerArchive`).
          refuseModified(request.headers, made.headers.get('last-modified'));
        } catch (error) {
          made = errorResponse(deps, context, error);
        }
        await takeBackEarlyView(cache, context);
        const { isOfItem, treatment } = destination;
        const answer = unlessUnmodified(context.request, await inBestForm(context, made));
        addCommonHeaders(answer.headers, context);
        const seconds = (performance.now() - context.startedAt) / 1000;
        const isLogged = treatment.isLogged && !context.isUnlogged;
        const kind: RequestKind = isOfItem ? 'page' : isLogged ? 'api' : 'static';
        const status = context.loggedStatus ?? answer.status;
        metrics.observe(kind, request.method, status, seconds - context.waitedMs / 1000);
        if (isLogged) accessEvents.record(loggedRequestOf(context, status, seconds));
        // Nothing is kept for an unclaimed Host: an owner may claim it as a domain at any time.
        const isKept = context.itemHost !== null || !context.isAtForeignName;
        if (isKept && isOfItem && context.plainAnswer !== null) pages?.keep(context, answer);
        if (isKept && context.hasSetKey && status === 200) puts?.keep(context, answer);
        await drainBeforeClose(request);
        return answer;
      } finally {
        metrics.requestEnded();
        slot.release();
        context.end();
      }
    },
  };
}

function toHost(baseUrl: string, { path, querySuffix }: RequestContext): Response {
  return new Response(null, { status: 302, headers: { Location: `${baseUrl}${path}${querySuffix}` } });
}
