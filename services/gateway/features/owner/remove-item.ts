import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { removeFile } from '../../../../shared/contracts/files.ts';
import { removeHtml } from '../../../../shared/contracts/html.ts';
import { removeJson } from '../../../../shared/contracts/json.ts';
import { removeKv } from '../../../../shared/contracts/kv.ts';
import { removeSite } from '../../../../shared/contracts/site.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitChangeOfAny } from '../../items/authorize.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { documented } from '../../openapi/documented.ts';
import { removal } from '../../openapi/item-operations.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

/** The removal of each kind, by the service that owns it. */
const REMOVALS = {
  html: removeHtml,
  kv: removeKv,
  json: removeJson,
  file: removeFile,
  site: removeSite,
};

const OPERATION = removal({
  operationId: 'removeItem',
  summary: 'Delete an item of any kind',
  description:
    'Frees the short URL, as the removal at the address of its kind does. In `public` it answers 410 from then on, elsewhere 404. Conditions are not looked at.',
  tag: 'Owner',
  needs: 'document',
});

/** Removes an item for its owner, whatever it is (specification 15.7). */
export const removeItemRoutes = (deps: UploadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .delete('/api/:ns/:id', ({ context, params }) => answerRemoveItem(deps, context, params), {
      parse: 'none',
      detail: documented(OPERATION),
    });

/** Removes an item of any kind for its owner. */
export async function answerRemoveItem(
  deps: UploadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  const { kind, owned } = await admitChangeOfAny(deps, context, address);
  await call(deps.bus, REMOVALS[kind], owned, context.callContext);
  return new Response(null, { status: 204 });
}
