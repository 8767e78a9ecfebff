import type { Entry } from '../../../shared/items/entry.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { Query } from '../../../shared/items/sql.ts';

/** An entry in a list: its value only where it is short. */
export type ListedEntry = Omit<Entry, 'value'> & { value: string | null };

/** Bytes of the values of one list in all: twice as much in a message at the worst, as JSON within JSON. */
const LISTED_VALUE_BYTES = 3_000_000;

/** The keys of a live store in the order of their bytes. Values come along up to so many bytes of JSON text each. */
export async function listKeys(
  sql: Query,
  { namespace, id, store }: ItemRef & { store: string },
  valuesUpTo: number,
  now: number,
): Promise<ListedEntry[]> {
  return await sql<ListedEntry[]>`
    select entry.key, entry.size_bytes, entry.version, entry.sequence, entry.updated_at,
      case when octet_length(entry.value) <= least(${valuesUpTo}::int, ${LISTED_VALUE_BYTES}::int / count(*) over ())
        then entry.value end as value
    from kv_entries as entry join items on items.namespace = entry.namespace and items.id = entry.id
    where entry.namespace = ${namespace} and entry.id = ${id} and items.code = ${store}
      and items.expires_at > ${now}
    order by entry.key collate "C"`;
}
