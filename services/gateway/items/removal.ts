import { call } from '../../../shared/contracts/call.ts';
import { removeFile } from '../../../shared/contracts/files.ts';
import { removeHtml } from '../../../shared/contracts/html.ts';
import { removeJson } from '../../../shared/contracts/json.ts';
import { removeKv } from '../../../shared/contracts/kv.ts';
import { removeSite } from '../../../shared/contracts/site.ts';
import type { Kind } from '../../../shared/items/item.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import { documentIfMatchTags, ifMatchTags } from '../http/conditional.ts';
import type { RequestContext } from '../http/request-context.ts';
import { admitChange, admitChangeOfAny, type OwnedAddress } from './authorize.ts';
import type { ReadDependencies } from './dependencies.ts';
import type { ItemAddress } from './find-live-item.ts';

type Removal = (bus: Bus, owned: OwnedAddress, context: RequestContext) => Promise<unknown>;

/**
 * The removal of each kind, by the service that owns it. Of pages, documents and files it keeps the request's conditions; stores
 * and sites have no ETag of the whole (specification 10.2).
 */
const REMOVALS: Record<Kind, Removal> = {
  html: (bus, owned, { request, callContext }) =>
    call(bus, removeHtml, { ...owned, ifMatch: ifMatchTags(request) }, callContext),
  json: (bus, owned, { request, callContext }) =>
    call(bus, removeJson, { ...owned, ifMatch: documentIfMatchTags(request) }, callContext),
  file: (bus, owned, { request, callContext }) =>
    call(bus, removeFile, { ...owned, ifMatch: ifMatchTags(request) }, callContext),
  kv: (bus, owned, { callContext }) => call(bus, removeKv, owned, callContext),
  site: (bus, owned, { callContext }) => call(bus, removeSite, owned, callContext),
};

/** Answers the removal of a whole item by its owner, at the address of its kind. */
export async function answerRemoval(
  deps: ReadDependencies,
  context: RequestContext,
  kind: Kind,
  address: ItemAddress,
): Promise<Response> {
  const { owned } = await admitChange(deps, context, kind, address);
  return await remove(deps, context, kind, owned);
}

/** `answerRemoval` where the address does not name the kind. */
export async function answerRemovalOfAny(
  deps: ReadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  const { kind, owned } = await admitChangeOfAny(deps, context, address);
  return await remove(deps, context, kind, owned);
}

async function remove(
  { bus }: ReadDependencies,
  context: RequestContext,
  kind: Kind,
  owned: OwnedAddress,
): Promise<Response> {
  await REMOVALS[kind](bus, owned, context);
  return new Response(null, { status: 204 });
}
