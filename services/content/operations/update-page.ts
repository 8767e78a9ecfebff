import type { updatePage as contract } from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { claimBlobs, discardBlobs } from '../../../shared/items/blob-trash.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { blobKeysOf, type StoredPage, toPageItem, toRoute, updatePageRow } from '../kinds/html.ts';
import { announceRoute } from './announce-route.ts';
import { findOwnedPage } from './owned-page.ts';
import { renderView } from './render-view.ts';

/** Replaces a page's content in one step; what else it has is immutable (specification 4.2 rule 3). */
export async function updatePage(
  deps: ContentDependencies,
  input: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const now = deps.clock.now();
  const standing = await findOwnedPage(deps.sql, input, input.ownerHash, { now, lock: false });
  if (standing.blobKey === input.blob.key) return toPageItem(standing);

  const title = input.title ?? (standing.titleGiven ? standing.title : input.suggestedTitle);
  const { format, language, filename } = standing;
  const view = await renderView(deps, { format, language, filename, title, blob: input.blob });
  const page = await deps.sql.begin(async (tx): Promise<StoredPage> => {
    const locked = await findOwnedPage(tx, input, input.ownerHash, { now, lock: true });
    // An earlier attempt at this update, its reply lost, has finished in the meantime.
    if (locked.blobKey === input.blob.key) return locked;
    const updated = await updatePageRow(tx, locked, {
      title: view.title,
      titleGiven: locked.titleGiven || input.title !== null,
      sizeBytes: input.blob.size,
      sha256: input.blob.sha256,
      blobKey: input.blob.key,
      viewKey: view.viewKey,
      updatedAt: now,
    });
    await claimBlobs(tx, blobKeysOf(updated), deps.clock.now());
    await discardBlobs(tx, blobKeysOf(locked), now + deps.blobGraceMs);
    return updated;
  });
  await announceRoute(deps, toRoute(page));
  return toPageItem(page);
}
