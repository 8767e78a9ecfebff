import { LRUCache } from 'lru-cache';
import type { SafeHtml } from '../../../../shared/pages/html.ts';
import { type StorePageInput, type StoreTableInput, storeTable } from './store-page.ts';

/** The tables of stores, as their pages show them, kept for further readers of the same keys and values. */
export interface StoreTables {
  /** @param input of which `state` changes with the store, and with any of its keys and values */
  of(input: StoreTableInput & Pick<StorePageInput, 'state'>): SafeHtml;
}

/** Characters of tables in memory; the largest has some three million. */
const KEPT_CHARACTERS = 8 * 1_048_576;

/** Memory of a table besides its characters. */
const FIXED_CHARACTERS = 512;

/** @param make makes the table of a store, at once, so that no two readers make the same one */
export function createStoreTables(make = storeTable, keptCharacters = KEPT_CHARACTERS): StoreTables {
  const kept = new LRUCache<string, SafeHtml>({
    maxSize: keptCharacters,
    sizeCalculation: (table) => table.toString().length + FIXED_CHARACTERS,
  });

  return {
    of(input) {
      const { state, namespace, id, baseUrl, language = 'en' } = input;
      const name = [state, language, namespace, id, baseUrl].join(' ');
      const known = kept.get(name);
      if (known !== undefined) return known;
      const table = make(input);
      kept.set(name, table);
      return table;
    },
  };
}
