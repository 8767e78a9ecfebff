import type { Server } from 'bun';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { ItemRecordOf } from '../../../shared/items/item-record.ts';
import type { EntryVisit, WindowState } from '../../../shared/ports/cache.ts';

/** A read that the fast path (`hot-reads/`) has counted, and left to the normal path. */
export interface FastPathRead {
  /** `performance.now()` at arrival. */
  startedAt: number;
  /** Arrival, in ms since the epoch. */
  arrivedAt: number;
  /** The item that was at the request's address before. */
  item: ItemRef;
  /** The reply of `Cache.visitEntry` about that item and the key at the request's address, with this view counted. */
  visit(): Promise<EntryVisit>;
  /** The client's window of reads, this one included; `null` where reads are not limited. */
  window: WindowState | null;
}

/** A write that the fast path (`kinds/kv/hot-puts/`) has begun, and left to the normal path. */
export interface FastPathWrite {
  /** `performance.now()` at arrival. */
  startedAt: number;
  /** Arrival, in ms since the epoch. */
  arrivedAt: number;
  /** The body, which the fast path has begun to read. */
  body: Promise<ArrayBuffer>;
  /** The item's record and the client's window of changes, as in `FastPathRead`; `null` for a write that is not counted yet. */
  counted: Pick<FastPathRead, 'visit' | 'window'> | null;
  /** Why the write has failed; `null`: the fast path has not tried it. */
  failure: unknown;
}

/** Answers on the normal path a request that a fast path leaves to it. @param earlier what the fast path has done for the request */
export type AnswerNormally<Earlier extends FastPathRead | FastPathWrite> = (
  request: Request,
  server: Server<unknown>,
  earlier: Earlier,
) => Promise<Response>;

/** An answer that every plain GET of this version of a page, or of this value of a key, gets. */
export interface PlainAnswer {
  record: ItemRecordOf<'html' | 'kv'>;
  /** Name of the key that was read, and the sequence of its value in the cache; `null` for a page. */
  entry: { key: string; sequence: number } | null;
  body: Uint8Array | string;
  /** When the headers change though the content does not, in ms since the epoch. */
  until: number;
}
