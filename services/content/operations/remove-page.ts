import type { removePage as contract } from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { discardBlobs } from '../../../shared/items/blob-trash.ts';
import { buryItems, findTombstone } from '../../../shared/items/registry.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { blobKeysOf } from '../kinds/html.ts';
import { announceRoute } from './announce-route.ts';
import { findOwnedPage } from './owned-page.ts';
import { toRemovedRoute } from './removed-route.ts';

/** Removes a page for its owner and frees its address. */
export async function removePage(
  deps: ContentDependencies,
  input: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const { clock } = deps;
  const tombstone = await deps.sql.begin(async (tx) => {
    const page = await findOwnedPage(tx, input, input.ownerHash, { clock, lock: true });
    const now = clock.now();
    await buryItems(tx, [page], now);
    await discardBlobs(tx, blobKeysOf(page), now + deps.blobGraceMs);
    return await findTombstone(tx, page);
  });
  if (tombstone !== null) await announceRoute(deps, toRemovedRoute(tombstone, clock.now()));
  return {};
}
