/**
 * Names a key of a store, which is named by `itemKey`. Length-prefixed, so that any characters in the parts stay
 * unambiguous.
 */
export const entryName = (store: string, key: string): string => `${store.length}|${store}${key}`;

/** The store and the key that an `entryName` is made of. */
export function splitEntryName(name: string): { store: string; key: string } {
  const start = name.indexOf('|') + 1;
  const end = start + Number.parseInt(name, 10);
  return { store: name.slice(start, end), key: name.slice(end) };
}
