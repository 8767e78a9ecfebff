import { type ItemRef, itemKey } from '../items/item.ts';
import type { Bus, Subscription } from '../ports/bus.ts';

/** The subject on which changes of an item are published. Ids may have dots, which part the words of a subject. */
const subjectOf = ({ namespace, id }: ItemRef): string => `changed.${namespace}.${id.replaceAll('.', '~')}`;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Between the keys of one message: no key has control characters. */
const SEPARATOR = '\n';

/**
 * Tells the gateways that an item has changed, or, with keys, that these keys of a store have. The message does not say how: a
 * gateway whose clients watch the item reads it again. Called after the commit, and after the cache was told. A message may be
 * lost, so those gateways also read the item now and then without one.
 */
export function publishChange(bus: Pick<Bus, 'publish'>, item: ItemRef, ...keys: string[]): void {
  bus.publish(subjectOf(item), encoder.encode(keys.join(SEPARATOR)));
}

/** Calls `onChange` for each change of an item; `key` is `null` when the item itself has changed. */
export const subscribeToChanges = (
  bus: Pick<Bus, 'listen'>,
  item: ItemRef,
  onChange: (key: string | null) => void,
): Promise<Subscription> =>
  bus.listen(subjectOf(item), (payload) => {
    if (payload.length === 0) onChange(null);
    else for (const key of decoder.decode(payload).split(SEPARATOR)) onChange(key);
  });

/** No item's subject: those have two words after `changed`. */
const DATABASE_LOST = 'changed.database';

/**
 * Tells the gateways that a service has lost the database. The database may come back in an older state, without the blob
 * keys that were reserved since. The message may be lost.
 */
export const publishDatabaseLoss = (bus: Pick<Bus, 'publish'>): void =>
  bus.publish(DATABASE_LOST, new Uint8Array());

export const subscribeToDatabaseLoss = (
  bus: Pick<Bus, 'listen'>,
  onLoss: () => void,
): Promise<Subscription> => bus.listen(DATABASE_LOST, onLoss);

/** Returns a function that publishes the change of a key: all keys of one store that change in one turn of the event loop go into one message. */
export function createKeyChangePublisher(bus: Pick<Bus, 'publish'>): (store: ItemRef, key: string) => void {
  let changed = new Map<string, { store: ItemRef; keys: Set<string> }>();
  const publishAll = (): void => {
    const ready = changed;
    changed = new Map();
    for (const { store, keys } of ready.values()) publishChange(bus, store, ...keys);
  };
  return (store, key) => {
    if (changed.size === 0) setImmediate(publishAll);
    const name = itemKey(store);
    const known = changed.get(name);
    if (known === undefined) changed.set(name, { store, keys: new Set([key]) });
    else known.keys.add(key);
  };
}
