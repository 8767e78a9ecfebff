import { callToRead } from '../../../shared/contracts/call-to-read.ts';
import { resolveItem } from '../../../shared/contracts/content.ts';
import type { CallContext } from '../../../shared/contracts/operation.ts';
import { PerchError } from '../../../shared/errors.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import { type ItemRecord, isOpen, type LiveItemRecord } from '../../../shared/items/item-record.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import type { Cache, EntryVisit } from '../../../shared/ports/cache.ts';
import { createSharedCalls } from './shared-calls.ts';

/** What is at an address, and what the cache knows of the key that was asked for. */
export interface Lookup extends EntryVisit {
  /** Whether a view was counted; `null`: nobody knows, as the cache did not answer in time. */
  counted: boolean | null;
}

export interface ItemLookup {
  /** What is at an address, from the cache or else from `content`; see `Cache.visit` for `count`. */
  find(item: ItemRef, context: CallContext, count: boolean): Promise<Lookup>;
  /**
   * The same for who is about to change it, without a view. What is not what they expect `content` must confirm: the cache
   * may not have heard that the item was removed and its address taken again.
   */
  findToChange(
    item: ItemRef,
    context: CallContext,
    isExpected: (record: LiveItemRecord) => boolean,
  ): Promise<Lookup>;
  /** The same together with one key, in case the item is a store. */
  findEntry(item: ItemRef, key: string, context: CallContext, count: boolean): Promise<Lookup>;
  /**
   * Has the cache forget a record whose content is not there, if `content` knows of another by now. Returns whether it does:
   * then what was asked for is worth another try.
   */
  renew(item: ItemRef, context: CallContext): Promise<boolean>;
}

/** A cache that is away makes reads slower, not impossible: `content` knows the record, too. */
export function createItemLookup(bus: Bus, cache: Cache, log: Logger): ItemLookup {
  const askShared = createSharedCalls(bus, resolveItem);

  const askAnew = async ({ namespace, id }: ItemRef, context: CallContext): Promise<ItemRecord | null> =>
    (await callToRead(bus, resolveItem, { namespace, id }, context)).record;

  /** Equal questions at once share one call, of which the first may be older than a change that was acknowledged since. */
  const askContent = async (item: ItemRef, context: CallContext): Promise<ItemRecord | null> => {
    const { namespace, id } = item;
    return (await askShared(itemKey(item), { namespace, id }, context)).record;
  };

  const findBy = async (
    visit: () => Promise<EntryVisit>,
    item: ItemRef,
    context: CallContext,
    { count, isTrusted = () => true, ask = askContent }: LookupOptions,
  ): Promise<Lookup> => {
    let mayBeCounted = false;
    const cached = await visit().catch((error: unknown) => {
      mayBeCounted = error instanceof PerchError && error.code === 'TIMEOUT';
      return null;
    });
    const known = (found: EntryVisit): Lookup => ({
      ...found,
      counted: count && found.record !== null && isOpen(found.record),
    });
    if (cached !== null && cached.record !== null && isTrusted(cached.record)) return known(cached);
    const record = await ask(item, context);
    if (record === null) return { record: null, views: 0, entry: null, counted: false };
    if (cached !== null) {
      const kept = await cache.putRecord(record).catch(() => null);
      if (kept === false) {
        log.debug({ item: itemKey(item) }, 'the cache has a newer record');
        const newer = await visit().catch(() => null);
        if (newer !== null && newer.record !== null) return known(newer);
      }
    }
    const wanted = count && isOpen(record);
    const counted = wanted && mayBeCounted ? null : wanted;
    // A cache that is away, or has not heard of what was saved, knows of fewer.
    const saved = record.state === 'live' ? (record.savedViews ?? 0) : 0;
    const views = Math.max(await cache.countViews(item, counted === true ? 1 : 0), saved);
    return { record, views, entry: null, counted };
  };

  const visitItem = async (item: ItemRef, count: boolean): Promise<EntryVisit> => ({
    ...(await cache.visit(item, count)),
    entry: null,
  });

  return {
    find: (item, context, count) => findBy(() => visitItem(item, count), item, context, { count }),
    findToChange: (item, context, isExpected) =>
      findBy(() => visitItem(item, false), item, context, {
        count: false,
        isTrusted: (record) => record.state === 'live' && isExpected(record),
        ask: askAnew,
      }),
    async renew(item, context) {
      const cached = await cache.visit(item, false).catch(() => null);
      const existing = cached?.record ?? null;
      const record = await askAnew(item, context);
      if (existing === null || existing.version === record?.version) return existing === null;
      log.warn({ item: itemKey(item) }, 'the cache had a record whose content is gone');
      await cache.forgetRecord(item, existing.version).catch(() => undefined);
      return true;
    },
    findEntry: (item, key, context, count) =>
      findBy(() => cache.visitEntry(item, key, count), item, context, { count }),
  };
}

interface LookupOptions {
  count: boolean;
  /** Whether the cache may answer with this; else it is asked for. */
  isTrusted?: (record: ItemRecord) => boolean;
  ask?: (item: ItemRef, context: CallContext) => Promise<ItemRecord | null>;
}
