import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import { isOpen } from '../../../shared/items/item-record.ts';
import type { Cache, EntryVisit } from '../../../shared/ports/cache.ts';
import type { RequestContext } from '../http/request-context.ts';

/** Whether a visit that should count has counted a view. */
export const hasCounted = ({ record }: EntryVisit): boolean => record !== null && isOpen(record);

/** The fast path's visit of an item, for the caller to settle its view; `undefined`: there is none, or it is taken. */
export function takeEarlyVisit(
  context: RequestContext,
  item: ItemRef,
): (() => Promise<EntryVisit>) | undefined {
  const { earlyVisit } = context;
  if (earlyVisit === null || itemKey(earlyVisit.item) !== itemKey(item)) return undefined;
  context.earlyVisit = null;
  return earlyVisit.visit;
}

/** Takes the view of a visit back that nobody has taken: the request was refused before, or is answered with something else. */
export async function takeBackEarlyView(cache: Cache, context: RequestContext): Promise<void> {
  const { earlyVisit } = context;
  if (earlyVisit === null) return;
  context.earlyVisit = null;
  // A visit that has failed may have counted a view all the same; nobody knows.
  const visited = await earlyVisit.visit().catch(() => null);
  if (visited !== null && hasCounted(visited)) await cache.countViews(earlyVisit.item, -1);
}
