import type * as contract from '../../../shared/contracts/gallery.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { countListedItems } from '../gallery/listed-count.ts';
import { walkListedItems } from '../gallery/lists.ts';

type Dependencies = Pick<ContentDependencies, 'sql' | 'clock'>;

/** How many items search engines are told of. */
export async function countListed({
  sql,
  clock,
}: Dependencies): Promise<ReplyOf<typeof contract.countListed>> {
  return { total: await countListedItems(sql, { kind: null, tag: null }, clock.now()) };
}

/** Which items search engines are told of: the next ones of a walk through all. */
export async function walkListed(
  { sql, clock }: Dependencies,
  input: InputOf<typeof contract.walkListed>,
): Promise<ReplyOf<typeof contract.walkListed>> {
  return { items: await walkListedItems(sql, input, clock.now()) };
}
