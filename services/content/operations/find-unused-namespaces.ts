import type * as contract from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { ContentDependencies } from '../dependencies.ts';

/** Which namespaces nobody has anything in at this moment. */
export async function findUnusedNamespaces(
  { sql }: Pick<ContentDependencies, 'sql'>,
  { candidates }: InputOf<typeof contract.findUnusedNamespaces>,
): Promise<ReplyOf<typeof contract.findUnusedNamespaces>> {
  return { unused: await findUnused(sql, candidates) };
}

/** Finds the candidates that no item, live or expired, is in. Keeps their order. */
async function findUnused(sql: Query, candidates: string[]): Promise<string[]> {
  const rows = await sql<Array<{ namespace: string }>>`
    select candidate.namespace
    from unnest(${candidates}::text[]) with ordinality as candidate (namespace, place)
    where not exists (select from items where items.namespace = candidate.namespace)
    order by candidate.place`;
  return rows.map(({ namespace }) => namespace);
}
