import type { Query } from '../../../shared/items/sql.ts';

/** Finds the candidates that no item, live or expired, is in. Keeps their order. */
export async function findUnused(sql: Query, candidates: string[]): Promise<string[]> {
  const rows = await sql<Array<{ namespace: string }>>`
    select candidate.namespace
    from unnest(${candidates}::text[]) with ordinality as candidate (namespace, place)
    where not exists (select from items where items.namespace = candidate.namespace)
    order by candidate.place`;
  return rows.map(({ namespace }) => namespace);
}
