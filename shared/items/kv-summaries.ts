import { type ItemRef, itemKey } from './item.ts';
import type { Query } from './sql.ts';

/** Totals of a key-value store. */
export interface KvSummary {
  keyCount: number;
  sizeBytes: number;
  /** When the latest value was written. */
  updatedAt: number;
}

const EMPTY: KvSummary = { keyCount: 0, sizeBytes: 0, updatedAt: 0 };

/** Sums up the entries of each of these stores, and returns a function that has the totals of one: zeros when it has no keys. */
export async function summariseKv(sql: Query, stores: ItemRef[]): Promise<(store: ItemRef) => KvSummary> {
  if (stores.length === 0) return () => EMPTY;
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
  const summaries = new Map(
    rows.map(({ namespace, id, ...summary }) => [itemKey({ namespace, id }), summary]),
  );
  return (store) => summaries.get(itemKey(store)) ?? EMPTY;
}
