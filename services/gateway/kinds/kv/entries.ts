import { callToRead } from '../../../../shared/contracts/call-to-read.ts';
import { listEntries, readEntry } from '../../../../shared/contracts/kv.ts';
import type { CallContext, ReplyOf } from '../../../../shared/contracts/operation.ts';
import { errors } from '../../../../shared/errors.ts';
import type { CachedEntry, Entry } from '../../../../shared/items/entry.ts';
import { itemKey } from '../../../../shared/items/item.ts';
import type { RouteOf } from '../../../../shared/items/route.ts';
import type { Bus } from '../../../../shared/ports/bus.ts';
import { createSharedCalls } from '../../items/shared-calls.ts';

type StoreRoute = RouteOf<'kv'>;
type EntryList = ReplyOf<typeof listEntries>['entries'];

/** Reads what a store holds. What was allowed for one store is never answered with another's under its address. */
export interface StoreEntries {
  /**
   * The value of a key: the cache's when it has it, else the service's.
   * @throws NOT_FOUND of the key, or of the store
   */
  read(route: StoreRoute, key: string, cached: CachedEntry | null, context: CallContext): Promise<Entry>;
  /** All keys; of those with a JSON text of up to so many bytes the value comes along. @throws NOT_FOUND */
  list(route: StoreRoute, valuesUpTo: number, context: CallContext): Promise<EntryList>;
}

export function createStoreEntries(bus: Bus): StoreEntries {
  const askShared = createSharedCalls(bus, readEntry);

  /** A reader who knows of a later change asks another question: the answer under way may be from before it. */
  const askOnce = async (
    route: StoreRoute,
    key: string,
    since: number,
    context: CallContext,
  ): Promise<Entry | null> => {
    const question = `${itemKey(route)}/${key} ${route.code} ${since}`;
    return (await askShared(question, { ...storeOf(route), key }, context)).entry;
  };

  return {
    async read(route, key, cached, context) {
      const known = cached?.store === route.code ? cached : null;
      if (known !== null && known.entry !== null) return known.entry;
      const entry = await askOnce(route, key, known?.sequence ?? 0, context);
      if (entry === null) throw errors.keyNotFound(route.namespace, route.id, key);
      return entry;
    },
    async list(route, valuesUpTo, context) {
      return (await callToRead(bus, listEntries, { ...storeOf(route), valuesUpTo }, context)).entries;
    },
  };
}

const storeOf = ({ namespace, id, code }: StoreRoute) => ({ namespace, id, store: code });
