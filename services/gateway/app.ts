import { Elysia } from 'elysia';
import { errors } from '../../shared/errors.ts';
import type { Metrics } from '../../shared/metrics.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { documentation } from './document.ts';
import { SCHEMAS } from './document-schemas.ts';
import { errorResponse } from './error-response.ts';
import { accessLogRoutes } from './features/admin/access-log.ts';
import { accessStatisticsRoutes } from './features/admin/access-statistics.ts';
import { auditRoutes } from './features/admin/audit.ts';
import { blockedContentRoutes } from './features/admin/blocked-content.ts';
import { blocklistRoutes } from './features/admin/blocklist.ts';
import { consoleRoutes } from './features/admin/console/routes.ts';
import { signInRoutes } from './features/admin/console/sign-in.ts';
import { itemBytesRoutes } from './features/admin/item-bytes.ts';
import { itemVisibilityRoutes } from './features/admin/item-visibility.ts';
import { notificationRoutes } from './features/admin/notifications.ts';
import { ownerTermsRoutes } from './features/admin/owner-terms.ts';
import { ownerAdminRoutes } from './features/admin/owners.ts';
import { publicationRoutes } from './features/admin/publications.ts';
import { reportedItemRoutes } from './features/admin/reported-items.ts';
import { adminReportRoutes } from './features/admin/reports.ts';
import { scanRoutes } from './features/admin/scans.ts';
import { takedownRoutes } from './features/admin/takedowns.ts';
import { llmsRoutes } from './features/discovery/llms-routes.ts';
import { INDEXNOW_KEY_PATHS, searchEngineRoutes } from './features/discovery/routes.ts';
import { DOCUMENT_PATH, docsRoutes, documentRoutes, READ_DOCUMENT } from './features/docs/routes.ts';
import { domainRoutes } from './features/domains/routes.ts';
import { editRoutes } from './features/edit/routes.ts';
import { galleryPictureRoutes } from './features/gallery/pictures.ts';
import { galleryRoutes } from './features/gallery/routes.ts';
import { healthRoutes } from './features/health/routes.ts';
import { homeAndAssetRoutes } from './features/home/routes.ts';
import { knownHostRoutes } from './features/hosting/known-host.ts';
import { hostingRoutes } from './features/hosting/routes.ts';
import { LimitsSchema, limitRoutes } from './features/limits/routes.ts';
import { mcpRoutes } from './features/mcp/routes.ts';
import { mineRoutes } from './features/mine/routes.ts';
import { namespaceRoutes } from './features/namespaces/routes.ts';
import { ownerCheckRoutes, removeItemRoutes, renewRoutes } from './features/owner/any-item.ts';
import { itemStatsRoutes } from './features/owner/item-stats.ts';
import { ownerTokenRoutes } from './features/owner/tokens.ts';
import { previewRoutes } from './features/previews/routes.ts';
import { reportFormRoutes } from './features/reports/report-form.ts';
import { submitReportRoutes } from './features/reports/submit-report.ts';
import { putFileRoutes } from './features/shell/put-file.ts';
import { shortCodeRoutes } from './features/short-codes/routes.ts';
import { historyRoutes } from './features/stats/history.ts';
import { statsRoutes } from './features/stats/routes.ts';
import { unlockRoutes } from './features/unlock/routes.ts';
import { type Address, createAddressTable, type DeclaredRoute } from './http/address-table.ts';
import { methodHint } from './http/method-hints.ts';
import { currentContext, type RequestContext, runInContext } from './http/request-context.ts';
import type { Surface } from './http/surface.ts';
import { RESERVED_NAMESPACES } from './items/item-address.ts';
import { answerPutFile, publishFile } from './kinds/files/create.ts';
import { fileRoutes } from './kinds/files/routes.ts';
import { answerCreateHtml, type PublishFile } from './kinds/html/create.ts';
import { htmlRoutes } from './kinds/html/routes.ts';
import { answerCreateJson } from './kinds/json/create.ts';
import { jsonRoutes } from './kinds/json/routes.ts';
import { plainKeyAddress } from './kinds/kv/key.ts';
import { answerReadKey } from './kinds/kv/read-key.ts';
import { kvRoutes } from './kinds/kv/routes.ts';
import { answerPutKey } from './kinds/kv/write-key.ts';
import { siteRoutes } from './kinds/sites/routes.ts';
import type { ContentResponders } from './kinds.ts';
import { createMcpOperations } from './mcp-operations.ts';
import { inPlace } from './openapi/documented.ts';
import type { ApiDocument, Operation, Paths } from './openapi/operation.ts';
import { RESOLVERS } from './openapi/resolvers.ts';

export interface GatewayApp {
  /** Answers, also with what a route throws. @throws METHOD_NOT_ALLOWED, and NOT_FOUND where no endpoint is */
  handle(context: RequestContext): Promise<Response>;
  /** Every endpoint, for the documentation made from them. */
  routes: DeclaredRoute[];
  /** The endpoints at a path. */
  addressOf(path: string): Address;
  /** The OpenAPI document of the whole interface, as `/docs/json` serves it. */
  document(): Promise<ApiDocument>;
}

/** Every endpoint but the short URLs `/{ns}/{id}`, which `request-handler.ts` answers without Elysia. */
export function createApp(
  deps: GatewayDependencies,
  responders: ContentResponders,
  metrics: Metrics,
): GatewayApp {
  const loadDocument = async (): Promise<ApiDocument> => {
    const response = await app.handle(new Request(`http://perch${DOCUMENT_PATH}`));
    return (await response.json()) as ApiDocument;
  };
  const publishBinary: PublishFile = (context, head, upload) => publishFile(deps, context, head, upload);
  // By default Elysia looks for the path behind the first 11 characters of a URL only; a host may be as short as `web`.
  const app: Served = new Elysia({ handler: { standardHostname: false } })
    .onError(({ error }) => errorResponse(deps, currentContext(), error))
    .use(healthRoutes(deps, metrics))
    .use(knownHostRoutes(deps))
    .use(homeAndAssetRoutes(deps))
    .use(
      putFileRoutes(deps, {
        page: (context) => answerCreateHtml(deps, context, publishBinary),
        json: (context) => answerCreateJson(deps, context),
        file: (context, filename) => answerPutFile(deps, context, filename),
      }),
    )
    .use(htmlRoutes(deps, responders.html, publishBinary))
    .use(kvRoutes(deps))
    .use(jsonRoutes(deps))
    .use(fileRoutes(deps, responders.file))
    .use(siteRoutes(deps, responders.site))
    .use(docsRoutes(documentation(deps.config, () => unseenPaths(app.routes))))
    .use(documentRoutes(loadDocument))
    .use(llmsRoutes(deps, loadDocument))
    .use(unlockRoutes(deps))
    .use(shortCodeRoutes(deps))
    .use(galleryRoutes(deps))
    .use(galleryPictureRoutes(deps))
    .use(mineRoutes(deps))
    .use(editRoutes(deps))
    .use(searchEngineRoutes(deps))
    .use(ownerTokenRoutes(deps))
    .use(ownerCheckRoutes(deps))
    .use(itemStatsRoutes(deps))
    .use(renewRoutes(deps))
    .use(removeItemRoutes(deps))
    .use(domainRoutes(deps))
    .use(hostingRoutes(deps, (context, address) => answerReadKey(deps, context, address)))
    .use(namespaceRoutes(deps))
    .use(statsRoutes(deps))
    .use(historyRoutes(deps))
    .use(limitRoutes(deps))
    .use(previewRoutes(deps))
    .use(mcpRoutes(deps, createMcpOperations(deps), { ...SCHEMAS, Limits: LimitsSchema }))
    .use(submitReportRoutes(deps))
    .use(reportFormRoutes(deps))
    .use(adminReportRoutes(deps))
    .use(reportedItemRoutes(deps))
    .use(takedownRoutes(deps))
    .use(blockedContentRoutes(deps))
    .use(notificationRoutes(deps))
    .use(blocklistRoutes(deps))
    .use(ownerAdminRoutes(deps))
    .use(ownerTermsRoutes(deps))
    .use(publicationRoutes(deps))
    .use(itemVisibilityRoutes(deps))
    .use(scanRoutes(deps))
    .use(itemBytesRoutes(deps))
    .use(auditRoutes(deps))
    .use(signInRoutes(deps))
    .use(consoleRoutes(deps))
    .use(accessLogRoutes(deps))
    .use(accessStatisticsRoutes(deps));
  const routes = declaredIn(app.routes);
  const addresses = createAddressTable(routes, (name) => !RESERVED_NAMESPACES.has(name));

  return {
    routes,
    addressOf: addresses.find,
    document: loadDocument,
    async handle(context) {
      const { request, path } = context;
      // Frequent, so it skips the address table and Elysia.
      const key = request.method === 'PUT' ? plainKeyAddress(path) : null;
      if (key !== null) return await answerPutKey(deps, context, key);
      const { methods, absent, takesUploads } = addresses.find(path);
      if (takesUploads && request.method === 'PUT')
        return await runInContext(context, () => app.handle(request));
      if (methods.length === 0 || absent.has(request.method)) throw errors.routeNotFound(path);
      if (!methods.includes(request.method))
        throw errors.methodNotAllowed(request.method, methods, methodHint(context));
      return await runInContext(context, () => app.handle(request));
    },
  };
}

/** An Elysia instance with all its routes. */
interface Served {
  routes: AppRoute[];
  handle(request: Request): Promise<Response>;
}

interface AppRoute {
  method: string;
  path: string;
  hooks: { detail?: { 'x-surface'?: Surface } };
}

/** The endpoints and their surfaces; of two routes at one address the later one answers. */
function declaredIn(routes: AppRoute[]): DeclaredRoute[] {
  const byAddress = new Map(
    routes.map(({ method, path, hooks }) => [
      `${method} ${path}`,
      { method, path, surface: hooks.detail?.['x-surface'] ?? 'api' },
    ]),
  );
  return [...byAddress.values()];
}

/** Endpoints that @elysiajs/swagger passes over: those outside of Elysia, its own, and paths that end in a wildcard. */
function unseenPaths(routes: AppRoute[]): Paths {
  const open = routes.filter(({ path }) => path.endsWith('/*'));
  return {
    ...RESOLVERS,
    ...INDEXNOW_KEY_PATHS,
    [DOCUMENT_PATH]: { get: inPlace(READ_DOCUMENT) },
    ...Object.fromEntries(
      open.map(({ method, path, hooks }) => [
        path.replace(/:(\w+)/g, '{$1}').replace('*', '{filePath}'),
        { [method.toLowerCase()]: hooks.detail as Operation },
      ]),
    ),
  };
}
