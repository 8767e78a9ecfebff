import type { describePage as contract } from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { toPageItem } from '../kinds/html.ts';
import { findOwnedPage } from './owned-page.ts';

/** The page as its owner sees it, from the database. */
export async function describePage(
  deps: ContentDependencies,
  input: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const { sql, clock } = deps;
  return toPageItem(await findOwnedPage(sql, input, input.ownerHash, { clock, lock: false }));
}
