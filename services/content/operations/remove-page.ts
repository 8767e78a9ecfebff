import type { removePage as contract } from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { discardBlobs } from '../../../shared/items/blob-trash.ts';
import { buryItems, findTombstone } from '../../../shared/items/registry.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { blobKeysOf } from '../kinds/html.ts';
import { announceRoute } from './announce-route.ts';
import { findOwnedPage } from './owned-page.ts';
import { toRemovedRoute } from './removed-route.ts';

type Input = InputOf<typeof contract>;

/**
 * Removes a page for its owner and frees its address. The removal is announced also when there is nothing to remove:
 * an earlier attempt may have died between its commit and its announcement.
 */
export async function removePage(deps: ContentDependencies, input: Input): Promise<ReplyOf<typeof contract>> {
  try {
    await deps.sql.begin((tx) => buryOwnedPage(tx, deps, input));
  } finally {
    const tombstone = await findTombstone(deps.sql, input);
    if (tombstone !== null) await announceRoute(deps, toRemovedRoute(tombstone, deps.clock.now()));
  }
  return {};
}

async function buryOwnedPage(
  tx: Query,
  { clock, blobGraceMs }: ContentDependencies,
  input: Input,
): Promise<void> {
  const page = await findOwnedPage(tx, input, input.ownerHash, { clock, lock: true });
  const now = clock.now();
  await buryItems(tx, [page], now);
  await discardBlobs(tx, blobKeysOf(page), now + blobGraceMs);
}
