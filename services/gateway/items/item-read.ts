import type { CachedEntry } from '../../../shared/items/entry.ts';
import type { Kind } from '../../../shared/items/item.ts';
import type { ItemRecordOf } from '../../../shared/items/item-record.ts';
import type { RequestContext } from '../http/request-context.ts';

/** A read of an item that has been allowed, on its way to the answer of its kind. */
export interface ItemRead<K extends Kind> {
  context: RequestContext;
  record: ItemRecordOf<K>;
  /** What of the item is asked for: the decoded path behind its own; `null` when there is none. */
  sub: string | null;
  /** What the cache knows of the key that `sub` names. */
  entry: CachedEntry | null;
  /** Views of the item, this one included. */
  views: number;
  /** How the ticket stands in the path of this read, in front of `sub`; `''` without one that opens the item. */
  ticketPrefix: string;
}

/** Answers the reads of each kind's short URLs. */
export type Responders = { [K in Kind]: (read: ItemRead<K>) => Promise<Response> };

/** Whether an answer counts as a view (specification 9.5): 200, 304, and 206 that starts at byte 0. */
export function countsAsView({ status, headers }: Response): boolean {
  if (status === 206) return headers.get('content-range')?.startsWith('bytes 0-') ?? false;
  return status === 200 || status === 304;
}
