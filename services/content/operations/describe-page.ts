import { describeItem } from '../../../shared/contracts/items.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { describePage as contract } from '../../../shared/contracts/pages.ts';
import { findOwnedItem } from '../../../shared/items/owned-item.ts';
import type { ContentDependencies } from '../dependencies.ts';

/** The page as its owner sees it, from the database. */
export async function describePage(
  { sql, clock }: ContentDependencies,
  input: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  return describeItem(await findOwnedItem(sql, { ...input, kind: 'html' }, { clock, lock: false }));
}
