import type { resolveCode as contract } from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import { findByCode } from '../../../shared/items/short-codes.ts';
import type { ContentDependencies } from '../dependencies.ts';

/** Where a short code leads. Of gone items only public ones are admitted to. */
export async function resolveCode(
  { sql, clock }: ContentDependencies,
  { code }: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const found = await findByCode(sql, code, clock.now());
  if (found === null) return { state: 'missing' };
  const { namespace, id, kind } = found;
  if (found.live && kind !== null) return { state: 'live', namespace, id, kind };
  return { state: found.swept && found.namespace === PUBLIC_NAMESPACE ? 'gone' : 'missing' };
}
