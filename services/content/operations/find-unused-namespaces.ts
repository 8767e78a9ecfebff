import type { findUnusedNamespaces as contract } from '../../../shared/contracts/namespaces.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { findUnused } from '../repository/namespaces.ts';

/** Which namespaces nobody has anything in at this moment. */
export async function findUnusedNamespaces(
  { sql }: Pick<ContentDependencies, 'sql'>,
  { candidates }: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  return { unused: await findUnused(sql, candidates) };
}
