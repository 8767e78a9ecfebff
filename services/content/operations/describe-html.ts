import type { describeHtml as contract } from '../../../shared/contracts/html.ts';
import { describeItem } from '../../../shared/contracts/items.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { findOwnedItem } from '../../../shared/items/owned-item.ts';
import type { ContentDependencies } from '../dependencies.ts';

/** The page as its owner sees it, from the database. */
export async function describeHtml(
  { sql, clock }: ContentDependencies,
  input: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  return describeItem(await findOwnedItem(sql, { ...input, kind: 'html' }, { clock, lock: false }));
}
