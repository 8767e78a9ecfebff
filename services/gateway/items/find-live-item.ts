import { errors } from '../../../shared/errors.ts';
import type { ItemRef, Kind } from '../../../shared/items/item.ts';
import {
  type ItemRecord,
  type ItemRecordOf,
  isKind,
  isThere,
  type LiveItemRecord,
} from '../../../shared/items/item-record.ts';
import { ownerTokenOf, ownsItem } from '../auth/owner-token.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { ReadDependencies } from './dependencies.ts';
import { ITEM_ID, NAMESPACE } from './item-address.ts';

/** The parts of a path of the API, decoded and unchecked. */
export interface ItemAddress {
  ns: string;
  id: string;
}

/** The item that an address of the API names. @throws NOT_FOUND when no item can have that name */
export function itemNamed({ ns, id }: ItemAddress): ItemRef {
  if (NAMESPACE.test(ns) && ITEM_ID.test(id)) return { namespace: ns, id };
  throw errors.contentNotFound(ns.slice(0, 100), id.slice(0, 100));
}

/**
 * The item at an address of the API, without counting a view.
 * @param isExpected for a change: whether a cached record can be the item meant; if not, `content` is asked (`findToChange`)
 * @throws NOT_FOUND, also for an expired or removed item (specification 2.6), and for a hidden one that is not the caller's
 */
export async function findLiveItem(
  deps: ReadDependencies,
  context: RequestContext,
  address: ItemAddress,
  isExpected?: (record: LiveItemRecord) => boolean,
): Promise<{ record: LiveItemRecord; views: number }> {
  const { lookup } = deps;
  const { callContext } = context;
  const item = itemNamed(address);
  const { record, views } =
    isExpected === undefined
      ? await lookup.find(item, callContext, false)
      : await lookup.findToChange(item, callContext, isExpected);
  if (!isHereFor(context, record, deps.clock.now())) throw errors.contentNotFound(item.namespace, item.id);
  context.item = record;
  return { record, views };
}

/**
 * Whether an address of the API has an item for this request. One that the operator has hidden is there for its owner
 * alone, who may read, correct and remove it.
 */
export function isHereFor(
  context: RequestContext,
  record: ItemRecord | null,
  now: number,
): record is LiveItemRecord {
  if (!isThere(record, now)) return false;
  if (record.hidden !== true) return true;
  const token = ownerTokenOf(context);
  return token !== null && ownsItem(token, record.ownerHash);
}

/** `findLiveItem` for an address that names the kind. @throws NOT_FOUND also for an item of another kind */
export async function findLive<K extends Kind>(
  deps: ReadDependencies,
  context: RequestContext,
  kind: K,
  address: ItemAddress,
  isExpected?: (record: LiveItemRecord) => boolean,
): Promise<{ record: ItemRecordOf<K>; views: number }> {
  const { record, views } = await findLiveItem(
    deps,
    context,
    address,
    isExpected && ((record) => isKind(record, kind) && isExpected(record)),
  );
  if (!isKind(record, kind)) throw errors.contentNotFound(record.namespace, record.id);
  return { record, views };
}
