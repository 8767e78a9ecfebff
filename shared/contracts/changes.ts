import type { ItemRef } from '../items/item.ts';
import type { Bus, Subscription } from '../ports/bus.ts';

/** The subject on which changes of an item are told. Ids may have dots, which part the words of a subject. */
const subjectOf = ({ namespace, id }: ItemRef): string => `changed.${namespace}.${id.replaceAll('.', '~')}`;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Tells the gateways that an item, or one key of a store, is not as it was. It says no more: whoever watches reads it anew.
 * Called after the commit, and after the cache was told. It may be missed; watchers look by themselves now and then.
 */
export function tellChange(bus: Pick<Bus, 'publish'>, item: ItemRef, key = ''): void {
  bus.publish(subjectOf(item), encoder.encode(key));
}

/** Hears the changes of an item; `key` is `null` when it is the item itself. */
export const hearChanges = (
  bus: Pick<Bus, 'listen'>,
  item: ItemRef,
  heard: (key: string | null) => void,
): Promise<Subscription> =>
  bus.listen(subjectOf(item), (payload) => heard(payload.length === 0 ? null : decoder.decode(payload)));
