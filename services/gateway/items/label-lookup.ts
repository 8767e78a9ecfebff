import { LRUCache } from 'lru-cache';
import { labelItem, resolveLabel } from '../../../shared/contracts/hosting.ts';
import type { CallContext } from '../../../shared/contracts/operation.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import { createSharedCalls } from './shared-calls.ts';

/** Labels that a gateway knows the addresses of: about 20 MB. */
const MOST_KNOWN = 100_000;

/**
 * Finds items by the labels of their hosts. A label never leads to another address, so what is known stays right; whether
 * the item there still has it is for the reader of its record to see.
 */
export interface LabelLookup {
  /** The address, without asking anybody. */
  known(label: string): ItemRef | null;
  /** The address, known here, in the cache, or to `content`; `null` for a label that leads nowhere. */
  find(label: string, context: CallContext): Promise<ItemRef | null>;
  /** The label of an item, which it is given when it has none. @throws NOT_FOUND */
  labelOf(record: LiveItemRecord, context: CallContext): Promise<string>;
}

export function createLabelLookup(bus: Bus, cache: Cache): LabelLookup {
  const items = new LRUCache<string, ItemRef>({ max: MOST_KNOWN });
  const ask = createSharedCalls(bus, resolveLabel);
  const give = createSharedCalls(bus, labelItem);

  return {
    known: (label) => items.get(label) ?? null,
    async find(label, context) {
      const cached = items.get(label) ?? (await cache.itemOfLabel(label));
      const item = cached ?? (await ask(label, { label }, context)).item;
      if (item === null) return null;
      items.set(label, item);
      if (cached === null) await cache.keepLabel(label, item);
      return item;
    },
    async labelOf({ label, namespace, id }, context) {
      const address = { namespace, id };
      const given = label ?? (await give(`${namespace}/${id}`, address, context)).record.label;
      if (given === undefined) throw new Error('an item was given no label');
      // The reader who is led there comes next, mostly to this very gateway.
      items.set(given, address);
      return given;
    },
  };
}
