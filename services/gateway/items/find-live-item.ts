import { errors } from '../../../shared/errors.ts';
import type { ItemRef, Kind } from '../../../shared/items/item.ts';
import {
  type ItemRecord,
  type ItemRecordOf,
  isKind,
  isLive,
  type LiveItemRecord,
} from '../../../shared/items/item-record.ts';
import type { PerchError } from '../../../shared/perch-error.ts';
import type { EntryVisit } from '../../../shared/ports/cache.ts';
import { isOwner } from '../auth/owner-token.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { ReadDependencies } from './dependencies.ts';
import { ITEM_ID, NAMESPACE } from './item-address.ts';

/** The parts of a path of the API, decoded and unchecked. */
export interface ItemAddress {
  ns: string;
  id: string;
}

/** The item that an address of the API names; `null` when no item can have that name. */
export const refOf = ({ ns, id }: ItemAddress): ItemRef | null =>
  NAMESPACE.test(ns) && ITEM_ID.test(id) ? { namespace: ns, id } : null;

/** `refOf`. @throws NOT_FOUND when no item can have that name */
export function itemNamed(address: ItemAddress): ItemRef {
  const item = refOf(address);
  if (item === null) throw errors.contentNotFound(address.ns.slice(0, 100), address.id.slice(0, 100));
  return item;
}

/** Facts about an item that are known before it is looked up. */
export interface FindOptions {
  /** Tells for a change whether a cached record can be the item meant; if not, `content` is asked (`findToChange`). */
  isExpected?: ((record: LiveItemRecord) => boolean) | undefined;
  /** The answer of a cache that was asked before (`visitEarly`). */
  visited?: (() => Promise<EntryVisit>) | undefined;
}

/**
 * The item at an address of the API, without counting a view.
 * @throws QUARANTINED; NOT_FOUND, also for an expired or removed item (specification 2.6), and for a hidden one that is not the caller's
 */
export async function findLiveItem(
  deps: ReadDependencies,
  context: RequestContext,
  address: ItemAddress,
  { isExpected, visited }: FindOptions = {},
): Promise<{ record: LiveItemRecord; views: number }> {
  const { lookup } = deps;
  const { callContext } = context;
  const item = itemNamed(address);
  const { record, views } =
    isExpected === undefined
      ? await lookup.find(item, callContext, { visited })
      : await lookup.findToChange(item, callContext, isExpected, visited);
  const now = deps.clock.now();
  if (!isVisibleTo(context, record, now)) throw notFoundOrQuarantined(item, record, now);
  context.item = record;
  return { record, views };
}

/** The error for a caller who cannot see an item. Only its owner is told what a quarantine has found. */
export function notFoundOrQuarantined(
  { namespace, id }: ItemRef,
  record: ItemRecord | null,
  now: number,
): PerchError {
  const quarantine = isLive(record, now) ? record.quarantine : undefined;
  if (quarantine === undefined) return errors.contentNotFound(namespace, id);
  return quarantine.cause === 'unscanned'
    ? errors.notScannedYet(namespace, id)
    : errors.quarantined(namespace, id);
}

/**
 * Whether an address of the API has an item for this request. One that the operator has hidden is there for its owner
 * alone, who may read, correct and remove it.
 */
export function isVisibleTo(
  context: RequestContext,
  record: ItemRecord | null,
  now: number,
): record is LiveItemRecord {
  return isLive(record, now) && (record.hidden !== true || isOwner(context, record.ownerHash));
}

/** `findLiveItem` for an address that names the kind. @throws NOT_FOUND also for an item of another kind */
export async function findLive<K extends Kind>(
  deps: ReadDependencies,
  context: RequestContext,
  kind: K,
  address: ItemAddress,
  { isExpected, visited }: FindOptions = {},
): Promise<{ record: ItemRecordOf<K>; views: number }> {
  const { record, views } = await findLiveItem(deps, context, address, {
    visited,
    isExpected: isExpected && ((found) => isKind(found, kind) && isExpected(found)),
  });
  if (!isKind(record, kind)) throw errors.contentNotFound(record.namespace, record.id);
  return { record, views };
}
