import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { setDeliveryMode } from '../../../../shared/contracts/hosting.ts';
import { errors, PerchError } from '../../../../shared/errors.ts';
import type { Kind } from '../../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../../shared/items/item-record.ts';
import { limited } from '../../admission/limited.ts';
import { readJsonObject } from '../../admission/read-body.ts';
import { requireOwner } from '../../auth/owner-token.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { admitChange } from '../../items/authorize.ts';
import { findLive, type ItemAddress } from '../../items/find-live-item.ts';
import { hostedItem, hostingFields, parseDeliveryMode } from '../../items/hosting.ts';
import { documented } from '../../openapi/documented.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { changeHosting, HOSTED_KINDS, readHosting } from './operations.ts';

/** Most bytes of the body. */
const BODY_BYTES = 4_096;

/** Answers with a key of a store. */
type ReadKey = (context: RequestContext, address: ItemAddress & { key: string }) => Promise<Response>;

/** Where the items of each kind are served (specification 3.6). Of a site that is said when it is made. */
export function hostingRoutes(deps: UploadDependencies, readKey: ReadKey) {
  const app = new Elysia().use(limited(deps));
  for (const hosted of HOSTED_KINDS) {
    const { kind, path } = hosted;
    app.get(
      `/api/${path}/:ns/:id/hosting`,
      async ({ context, params }) =>
        (kind === 'kv' ? await keyOfThatName(readKey, context, params) : null) ??
        (await answerHosting(deps, context, kind, params)),
      { limit: 'reads', detail: documented(readHosting(hosted)) },
    );
    if (kind === 'site') continue;
    app.patch(
      `/api/${path}/:ns/:id/hosting`,
      ({ context, params }) => answerChange(deps, context, kind, params),
      { parse: 'none', detail: documented(changeHosting(hosted)) },
    );
  }
  return app;
}

/** The key `hosting` of a store, which goes before; `null` when the store has none, or is none. */
async function keyOfThatName(
  readKey: ReadKey,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response | null> {
  try {
    return await readKey(context, { ...address, key: 'hosting' });
  } catch (error) {
    if (error instanceof PerchError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

async function answerHosting(
  deps: UploadDependencies,
  context: RequestContext,
  kind: Kind,
  address: ItemAddress,
): Promise<Response> {
  const { record } = await findLive(deps, context, kind, address);
  requireOwner(context, record);
  return forOwner(deps, context, record);
}

async function answerChange(
  deps: UploadDependencies,
  context: RequestContext,
  kind: Kind,
  address: ItemAddress,
): Promise<Response> {
  const { owned } = await admitChange(deps, context, kind, address);
  const tooLarge = () =>
    errors.validationFailed([{ field: 'body', message: `has at most ${BODY_BYTES} bytes.` }]);
  const fields = await readJsonObject(context, { bytes: BODY_BYTES, tooLarge }, deps.budget);
  const issues = collectIssues();
  const deliveryMode = parseDeliveryMode(fields.deliveryMode, 'deliveryMode', issues);
  const { expectedVersion } = fields;
  if (!Number.isSafeInteger(expectedVersion) || Number(expectedVersion) < 1)
    issues.add('VALIDATION_FAILED', 'expectedVersion', 'must be the hostingVersion that you have read.');
  if (deliveryMode === null)
    issues.add('VALIDATION_FAILED', 'deliveryMode', 'must be "path" or "subdomain".');
  issues.throwIfAny();
  const mode = deliveryMode ?? 'path';
  const labelled = deps.itemHosts.modeOf(context, { deliveryMode: mode }) === 'subdomain';
  const input = { ...owned, kind, deliveryMode: mode, expectedVersion: Number(expectedVersion), labelled };
  const { record } = await call(deps.bus, setDeliveryMode, input, context.callContext);
  return forOwner(deps, context, record);
}

function forOwner(deps: UploadDependencies, context: RequestContext, record: LiveItemRecord): Response {
  const { namespace, id } = record;
  const fields = { namespace, id, ...hostingFields(deps, context, hostedItem(record)) };
  return Response.json(fields, { headers: { 'Cache-Control': 'private, no-store' } });
}
