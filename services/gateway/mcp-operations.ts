import { errors } from '../../shared/errors.ts';
import type { RateLimitName } from './admission/rate-limits.ts';
import { groupingTokenOf } from './auth/owner-token.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { answerGallery } from './features/gallery/routes.ts';
import { answerLimits } from './features/limits/routes.ts';
import type { McpOperations } from './features/mcp/tool-call.ts';
import { randomNamespace } from './features/namespaces/routes.ts';
import { answerRenew } from './features/owner/any-item.ts';
import { answerOwnedItems } from './features/owner/tokens.ts';
import { answerStats } from './features/stats/routes.ts';
import type { RequestContext } from './http/request-context.ts';
import { answerRemovalOfAny } from './items/removal.ts';
import type { ResponseBodies } from './items/response-bodies.ts';
import { FILE_RULES, publishFile } from './kinds/files/create.ts';
import { answerCreateHtml } from './kinds/html/create.ts';
import { answerReadHtml } from './kinds/html/routes.ts';
import { answerUpdateHtml } from './kinds/html/update.ts';
import { answerUpdateJson } from './kinds/json/change.ts';
import { answerCreateJson } from './kinds/json/create.ts';
import { answerReadJson } from './kinds/json/read.ts';
import { answerCreateKv } from './kinds/kv/create.ts';
import { answerReadKey } from './kinds/kv/read-key.ts';
import { answerReadKv } from './kinds/kv/stores.ts';
import { answerPutKey, answerRemoveKey } from './kinds/kv/write-key.ts';
import { answerCreateSite, answerReplaceSite } from './kinds/sites/publish.ts';
import { createResponders } from './kinds.ts';
import { openCreate } from './uploads/create-request.ts';

/** Bodies of answers that are read in this process: no connection sends them. */
const READ_HERE: ResponseBodies = { of: (_, bytes) => bytes, tryOf: (_, bytes) => ({ body: bytes }) };

/** The operations of the slices, for callers that are no endpoints. */
export function createMcpOperations(gateway: GatewayDependencies): McpOperations {
  const deps = { ...gateway, bodies: READ_HERE };
  const { html } = createResponders(deps, false);
  /** Counts what the route of an operation counts by its option `limit`. */
  const counted =
    (what: RateLimitName, answer: (context: RequestContext) => Promise<Response>) =>
    async (context: RequestContext): Promise<Response> => {
      await deps.limits.admit(context, what);
      return await answer(context);
    };

  return {
    publishPage: counted('uploads', (context) =>
      answerCreateHtml(deps, context, (inner, head, upload) => publishFile(deps, inner, head, upload)),
    ),
    updatePage: (context, address) => answerUpdateHtml(deps, context, address),
    readPage: (context, address) => answerReadHtml(deps, html, context, address),
    async uploadFile(context, { bytes, filename }) {
      await deps.limits.admit(context, 'uploads');
      const upload = { bytes, filename, extension: null, fields: {} };
      return await publishFile(deps, context, await openCreate(deps, context, FILE_RULES), upload);
    },
    publishSite: counted('uploads', (context) => answerCreateSite(deps, context)),
    replaceSite: (context, address) => answerReplaceSite(deps, context, address),
    createDocument: counted('uploads', (context) => answerCreateJson(deps, context)),
    readDocument: (context, address) => answerReadJson(deps, context, address),
    updateDocument: (context, address) => answerUpdateJson(deps, context, address),
    createStore: counted('uploads', (context) => answerCreateKv(deps, context)),
    readStore: (context, address) => answerReadKv(deps, context, address),
    async readKey(context, address) {
      await deps.limits.admit(context, 'reads');
      return await answerReadKey(deps, context, address);
    },
    writeKey: (context, address) => answerPutKey(deps, context, address),
    removeKey: (context, address) => answerRemoveKey(deps, context, address),
    removeItem: (context, address) => answerRemovalOfAny(deps, context, address),
    randomNamespace: ({ callContext }) => randomNamespace(deps.bus, callContext),
    listGallery: counted('reads', (context) => answerGallery(deps, context, null)),
    readStats: counted('reads', (context) => answerStats(deps, context)),
    listOwnedItems: counted('reads', async (context) => {
      // An agent would tell its user of an empty list that nothing was published.
      if (groupingTokenOf(context) === null) throw errors.ownerTokenBlank();
      return await answerOwnedItems(deps, context);
    }),
    renewItem: (context, address) => answerRenew(deps, context, address),
    readLimits: counted('reads', (context) => answerLimits(deps, context)),
  };
}
