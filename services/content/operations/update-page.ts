import type { updatePage as contract } from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { claimBlobs, discardBlobs, wasUsed } from '../../../shared/items/blob-trash.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { blobKeysOf, type StoredPage, toPageItem, toRoute, updatePageRow } from '../kinds/html.ts';
import { announceRoute } from './announce-route.ts';
import { findOwnedPage } from './owned-page.ts';
import { renderView } from './render-view.ts';

type Input = InputOf<typeof contract>;

/** Replaces a page's content in one step; what else it has is immutable (specification 4.2 rule 3). */
export async function updatePage(deps: ContentDependencies, input: Input): Promise<ReplyOf<typeof contract>> {
  const { sql, clock } = deps;
  const standing = await findOwnedPage(sql, input, input.ownerHash, { clock, lock: false });
  const isDone = standing.blobKey === input.blob.key;
  const page = isDone ? standing : await replaceContent(deps, input, standing);
  // Also after an earlier attempt: it may have died between its commit and its announcement.
  await announceRoute(deps, toRoute(page));
  return toPageItem(page);
}

async function replaceContent(
  deps: ContentDependencies,
  input: Input,
  standing: StoredPage,
): Promise<StoredPage> {
  const { clock, blobGraceMs } = deps;
  const title = input.title ?? (standing.titleGiven ? standing.title : input.suggestedTitle);
  const { format, language, filename } = standing;
  const view = await renderView(deps, { format, language, filename, title, blob: input.blob });
  return await deps.sql.begin(async (tx) => {
    const locked = await findOwnedPage(tx, input, input.ownerHash, { clock, lock: true });
    // An earlier attempt at this update has made it meanwhile, and perhaps another update has replaced it since.
    if (locked.blobKey === input.blob.key || (await wasUsed(tx, input.blob.key))) return locked;
    // Rendering and the lock may have taken long: the change counts from here.
    const now = clock.now();
    const updated = await updatePageRow(tx, locked, {
      title: view.title,
      titleGiven: locked.titleGiven || input.title !== null,
      sizeBytes: input.blob.size,
      sha256: input.blob.sha256,
      blobKey: input.blob.key,
      viewKey: view.viewKey,
      updatedAt: now,
    });
    await claimBlobs(tx, blobKeysOf(updated), now);
    await discardBlobs(tx, blobKeysOf(locked), now + blobGraceMs);
    return updated;
  });
}
