import type { CachedEntry } from '../../../shared/items/entry.ts';
import type { Kind } from '../../../shared/items/item.ts';
import type { ItemRecordOf } from '../../../shared/items/item-record.ts';
import type { RequestContext } from '../http/request-context.ts';

/** An authorized read of an item, as the responder of its kind gets it. */
export interface ItemRead<K extends Kind> {
  context: RequestContext;
  record: ItemRecordOf<K>;
  /** The requested part of the item: the decoded path behind the item's own; `null` when there is none. */
  sub: string | null;
  /** The cached entry of the key that `sub` names. */
  entry: CachedEntry | null;
  /** Views of the item, this one included. */
  views: number;
  /** The ticket's path segment in front of `sub`, `~<ticket>/`; `''` without a ticket that opens the item. */
  ticketPrefix: string;
}

/** Answers the reads of each kind's short URLs. */
export type Responders = { [K in Kind]: (read: ItemRead<K>) => Promise<Response> };

/** Whether an answer counts as a view (specification 9.5): 200, 304, and 206 that starts at byte 0. */
export function countsAsView({ status, headers }: Response): boolean {
  if (status === 206) return headers.get('content-range')?.startsWith('bytes 0-') ?? false;
  return status === 200 || status === 304;
}
