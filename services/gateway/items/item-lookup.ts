import type { CallContext } from '../../../shared/call-context.ts';
import { callToRead } from '../../../shared/contracts/call.ts';
import { resolveItem } from '../../../shared/contracts/content.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import { type ItemRecord, isOpen, type LiveItemRecord } from '../../../shared/items/item-record.ts';
import type { Logger } from '../../../shared/logger.ts';
import { PerchError } from '../../../shared/perch-error.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import type { Cache, EntryVisit } from '../../../shared/ports/cache.ts';
import { hasCounted } from './early-visit.ts';
import { createSharedCalls } from './shared-calls.ts';

/** The record of the item at an address, and the cached entry of the requested key. */
export interface Lookup extends EntryVisit {
  /** Whether a view was counted; `null` when that is unknown because the cache timed out. */
  counted: boolean | null;
}

export interface ItemLookup {
  /** Finds the item at an address, in the cache or else in `content`. */
  find(item: ItemRef, context: CallContext, options?: LookupOptions): Promise<Lookup>;
  /**
   * Finds the item that a request wants to change, without counting a view. `content` must confirm a cached record that
   * fails `isExpected`: the cache may have missed that the item was removed and another created at its address, or know of
   * a removal that the database has lost.
   */
  findToChange(
    item: ItemRef,
    context: CallContext,
    isExpected: (record: LiveItemRecord) => boolean,
    visited?: () => Promise<EntryVisit>,
  ): Promise<Lookup>;
  /**
   * Starts the cache read before the rate limit answers. Pass the result as `visited` to the look-up that follows. Counts no
   * view.
   */
  visitEarly(item: ItemRef): () => Promise<EntryVisit>;
  /**
   * Asks `content` about a record by which content was not found. When `content` has another version, the cache forgets the
   * record, unless it knows a newer one by now. Returns whether the record was stale: then the read is worth a second attempt.
   */
  forgetIfStale(read: LiveItemRecord, context: CallContext): Promise<boolean>;
}

interface LookupOptions {
  /** The key whose cached entry is wanted along with the record, in case the item is a KV store. */
  key?: string | null;
  /** Whether a view is counted: see `Cache.visit`. */
  count?: boolean;
  /** The answer of a cache that was asked before; left out, it is asked now. */
  visited?: (() => Promise<EntryVisit>) | undefined;
}

/** Looks items up in the cache first. While the cache is unavailable, `content` answers, more slowly. */
export function createItemLookup(bus: Bus, cache: Cache, log: Logger): ItemLookup {
  const askShared = createSharedCalls(bus, resolveItem);

  const askAnew = async ({ namespace, id }: ItemRef, context: CallContext): Promise<ItemRecord | null> =>
    (await callToRead(bus, resolveItem, { namespace, id }, context)).record;

  /** Concurrent look-ups of an item share calls. */
  const askContent = async (item: ItemRef, context: CallContext): Promise<ItemRecord | null> => {
    const { namespace, id } = item;
    return (await askShared(itemKey(item), { namespace, id }, context)).record;
  };

  /**
   * Forgets a cached record of a change that the database has lost, having gone back. The cache is told of a change after its
   * commit: `content`, asked after the cache, would know it.
   */
  const forgetLost = async (cached: ItemRecord | null, current: ItemRecord): Promise<void> => {
    if (cached === null || cached.version <= current.version) return;
    log.warn({ item: itemKey(cached) }, 'there was a record of a change that the database has lost');
    await cache.forgetRecord(cached, cached.version).catch(() => undefined);
  };

  const findBy = async (
    visit: () => Promise<EntryVisit>,
    item: ItemRef,
    context: CallContext,
    { count = false, isTrusted = () => true, ask = askContent, visited = visit }: FindByOptions,
  ): Promise<Lookup> => {
    let mayBeCounted = false;
    const cached = await visited().catch((error: unknown) => {
      mayBeCounted = error instanceof PerchError && error.code === 'TIMEOUT';
      return null;
    });
    const known = (found: EntryVisit): Lookup => ({
      ...found,
      counted: count && hasCounted(found),
    });
    if (cached !== null && cached.record !== null && isTrusted(cached.record)) return known(cached);
    const record = await ask(item, context);
    if (record === null) return { record: null, views: 0, entry: null, counted: false };
    if (cached !== null) {
      await forgetLost(cached.record, record);
      const kept = await cache.putRecord(record).catch(() => null);
      if (kept === false) {
        log.debug({ item: itemKey(item) }, 'the cache has a newer record');
        const newer = await visit().catch(() => null);
        if (newer !== null && newer.record !== null) return known(newer);
      }
    }
    const wanted = count && isOpen(record);
    const counted = wanted && mayBeCounted ? null : wanted;
    // The cache may count fewer views than were saved: while it is unavailable, or before it has loaded the saved number.
    const saved = record.state === 'live' ? (record.savedViews ?? 0) : 0;
    const views = Math.max(await cache.countViews(item, counted === true ? 1 : 0), saved);
    return { record, views, entry: null, counted };
  };

  const visitItem = async (item: ItemRef, count = false): Promise<EntryVisit> => ({
    ...(await cache.visit(item, count)),
    entry: null,
  });

  return {
    find(item, context, { key = null, count = false, visited } = {}) {
      const visit = () => (key === null ? visitItem(item, count) : cache.visitEntry(item, key, count));
      return findBy(visit, item, context, { count, visited });
    },
    findToChange: (item, context, isExpected, visited) =>
      findBy(() => visitItem(item), item, context, {
        visited,
        isTrusted: (record) => record.state === 'live' && isExpected(record),
        ask: askAnew,
      }),
    visitEarly(item) {
      const visiting = visitItem(item);
      // Nobody may come to ask for it.
      visiting.catch(() => undefined);
      return () => visiting;
    },
    async forgetIfStale(read, context) {
      const record = await askAnew(read, context);
      if (record?.version === read.version) return false;
      log.warn({ item: itemKey(read) }, 'there was a record whose content is gone');
      await cache.forgetRecord(read, read.version).catch(() => undefined);
      return true;
    },
  };
}

interface FindByOptions extends Pick<LookupOptions, 'count' | 'visited'> {
  /** Whether a cached record may be used; otherwise `ask` is called. */
  isTrusted?: (record: ItemRecord) => boolean;
  ask?: (item: ItemRef, context: CallContext) => Promise<ItemRecord | null>;
}
