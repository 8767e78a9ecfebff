import { type ItemRef, itemKey } from './item.ts';
import type { Query } from './sql.ts';

/** Totals of a key-value store. */
export interface KvSummary {
  keyCount: number;
  sizeBytes: number;
  /** When the latest value was written. */
  updatedAt: number;
}

/** Sums up the entries of each of these stores, by `itemKey`; a store without keys is absent. */
export async function summariseKv(sql: Query, stores: ItemRef[]): Promise<Map<string, KvSummary>> {
  if (stores.length === 0) return new Map();
  const namespaces = stores.map(({ namespace }) => namespace);
  const ids = stores.map(({ id }) => id);
  const rows = await sql<Array<KvSummary & ItemRef>>`
    select namespace, id, count(*) as key_count, sum(size_bytes) as size_bytes, max(updated_at) as updated_at
    from kv_entries
    where (namespace, id) in (
      select store.namespace, store.id
      from unnest(${namespaces}::text[], ${ids}::text[]) as store (namespace, id)
    )
    group by namespace, id`;
  return new Map(rows.map(({ namespace, id, ...summary }) => [itemKey({ namespace, id }), summary]));
}
