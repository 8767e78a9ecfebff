import { type ItemRef, itemKey } from '../items/item.ts';
import type { Bus, Subscription } from '../ports/bus.ts';

/** The subject on which changes of an item are told. Ids may have dots, which part the words of a subject. */
const subjectOf = ({ namespace, id }: ItemRef): string => `changed.${namespace}.${id.replaceAll('.', '~')}`;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Between the keys of one message: no key has control characters. */
const SEPARATOR = '\n';

/**
 * Tells the gateways that an item, or with keys those of a store, is not as it was. It says no more: whoever watches reads
 * it anew. Called after the commit, and after the cache was told. It may be missed; watchers look by themselves now and then.
 */
export function tellChange(bus: Pick<Bus, 'publish'>, item: ItemRef, ...keys: string[]): void {
  bus.publish(subjectOf(item), encoder.encode(keys.join(SEPARATOR)));
}

/** Hears the changes of an item; `key` is `null` when it is the item itself. */
export const hearChanges = (
  bus: Pick<Bus, 'listen'>,
  item: ItemRef,
  heard: (key: string | null) => void,
): Promise<Subscription> =>
  bus.listen(subjectOf(item), (payload) => {
    if (payload.length === 0) heard(null);
    else for (const key of decoder.decode(payload).split(SEPARATOR)) heard(key);
  });

/** No item's subject: those have two words after `changed`. */
const DATABASE_LOST = 'changed.database';

/**
 * Tells the gateways that a service has lost the database. What comes back may be an older state of it, without the blob keys
 * that were reserved since. It may be missed.
 */
export const tellDatabaseLost = (bus: Pick<Bus, 'publish'>): void =>
  bus.publish(DATABASE_LOST, new Uint8Array());

export const hearDatabaseLost = (bus: Pick<Bus, 'listen'>, heard: () => void): Promise<Subscription> =>
  bus.listen(DATABASE_LOST, heard);

/** Tells that a key of a store is not as it was: `tellChange` for all keys of a store in one turn of the event loop. */
export function createKeyNews(bus: Pick<Bus, 'publish'>): (store: ItemRef, key: string) => void {
  let changed = new Map<string, { store: ItemRef; keys: Set<string> }>();
  const tell = (): void => {
    const ready = changed;
    changed = new Map();
    for (const { store, keys } of ready.values()) tellChange(bus, store, ...keys);
  };
  return (store, key) => {
    if (changed.size === 0) setImmediate(tell);
    const name = itemKey(store);
    const known = changed.get(name);
    if (known === undefined) changed.set(name, { store, keys: new Set([key]) });
    else known.keys.add(key);
  };
}
