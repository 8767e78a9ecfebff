import { Elysia } from 'elysia';
import { errors } from '../../shared/errors.ts';
import type { Metrics } from '../../shared/metrics.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { adminAccessRoutes } from './features/admin/access-routes.ts';
import { adminItemRoutes } from './features/admin/item-routes.ts';
import { adminReportRoutes } from './features/admin/report-routes.ts';
import { llmsRoutes } from './features/discovery/llms-routes.ts';
import { searchEngineRoutes } from './features/discovery/routes.ts';
import { docsRoutes } from './features/docs/routes.ts';
import { galleryPageRoutes } from './features/gallery/page-routes.ts';
import { galleryRoutes } from './features/gallery/routes.ts';
import { healthRoutes } from './features/health/routes.ts';
import { webRoutes } from './features/home/routes.ts';
import { namespaceRoutes } from './features/namespaces/routes.ts';
import { ownerCheckRoutes } from './features/owner/owner-check.ts';
import { renewRoutes } from './features/owner/renew.ts';
import { ownerRoutes } from './features/owner/routes.ts';
import { reportRoutes } from './features/reports/routes.ts';
import { shortCodeRoutes } from './features/short-codes/routes.ts';
import { statsRoutes } from './features/stats/routes.ts';
import { unlockRoutes } from './features/unlock/routes.ts';
import { createMethodTable } from './http/method-table.ts';
import { bindRequestContext, type RequestContext } from './http/request-context.ts';
import { fileRoutes, publishFile } from './kinds/files/routes.ts';
import { htmlRoutes } from './kinds/html/routes.ts';
import { jsonRoutes } from './kinds/json/routes.ts';
import { plainKeyAddress, putKey } from './kinds/kv/put-key.ts';
import { kvRoutes } from './kinds/kv/routes.ts';
import { siteRoutes } from './kinds/sites/routes.ts';
import type { ContentResponders } from './kinds.ts';

export interface GatewayApp {
  /** Throws what a route throws: the server shapes errors, for these routes and for short URLs alike. */
  handle(context: RequestContext): Promise<Response>;
  /** The methods an address knows. @throws NOT_FOUND where nothing is */
  allowedAt(path: string): string[];
  /** Every route, for whoever describes them. */
  routes: Array<{ method: string; path: string }>;
}

/** Every route but the short URLs `/{ns}/{id}`, which the server takes on a straight path of their own. */
export function createApp(
  deps: GatewayDependencies,
  responders: ContentResponders,
  metrics: Metrics,
): GatewayApp {
  // Needed by few, and large: it is loaded when somebody asks for it.
  const loadDocument = async () => (await import('./document.ts')).openApiDocument(deps.config);
  const thrown = new WeakMap<Request, unknown>();
  // A host's name may be as short as `web`: Elysia must not skip its first letters as too few for one.
  const app = new Elysia({ handler: { standardHostname: false } })
    .onError(({ request, error }) => {
      thrown.set(request, error);
      return new Response(null, { status: 500 });
    })
    .use(healthRoutes(deps, metrics))
    .use(webRoutes(deps))
    .use(
      htmlRoutes(deps, responders.page, (context, head, upload) => publishFile(deps, context, head, upload)),
    )
    .use(kvRoutes(deps))
    .use(jsonRoutes(deps))
    .use(fileRoutes(deps, responders.file))
    .use(siteRoutes(deps, responders.site))
    .use(docsRoutes(deps, loadDocument))
    .use(llmsRoutes(deps, loadDocument))
    .use(unlockRoutes(deps))
    .use(shortCodeRoutes(deps))
    .use(galleryRoutes(deps))
    .use(galleryPageRoutes(deps))
    .use(searchEngineRoutes(deps))
    .use(ownerRoutes(deps))
    .use(ownerCheckRoutes(deps))
    .use(renewRoutes(deps))
    .use(namespaceRoutes(deps))
    .use(statsRoutes(deps))
    .use(reportRoutes(deps))
    .use(adminReportRoutes(deps))
    .use(adminItemRoutes(deps))
    .use(adminAccessRoutes(deps));
  const methods = createMethodTable(app.routes);

  const allowedAt = (path: string): string[] => {
    const allowed = methods.allowedAt(path);
    if (allowed.length === 0) throw errors.routeNotFound(path);
    return allowed;
  };

  return {
    allowedAt,
    routes: app.routes.map(({ method, path }) => ({ method, path })),
    async handle(context) {
      const { request, path } = context;
      // Asked for by the thousand: it need not look for its way through all routes.
      const key = request.method === 'PUT' ? plainKeyAddress(path) : null;
      if (key !== null) return await putKey(deps, context, key);
      const allowed = allowedAt(path);
      if (!allowed.includes(request.method)) throw errors.methodNotAllowed(request.method, allowed);
      bindRequestContext(context);
      const response = await app.handle(request);
      if (thrown.has(request)) throw thrown.get(request);
      return response;
    },
  };
}
