import type { updateHtml as contract } from '../../../shared/contracts/html.ts';
import { describeItem } from '../../../shared/contracts/items.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { type Replacement, replaceContent } from '../../../shared/items/replace-content.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { assertMatch } from '../etag-match.ts';
import { renderPage } from './render-page.ts';

/**
 * Replaces a page's content in one step; what else it has is immutable (specification 4.6).
 * @throws PRECONDITION_FAILED when the page that stands is none of those in `ifMatch`
 */
export async function updateHtml(
  deps: ContentDependencies,
  input: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { namespace, id, ownerHash, blob, ifMatch = null } = input;
  const replacement: Replacement<'html'> = {
    item: { kind: 'html', namespace, id, ownerHash },
    blobKey: blob.key,
    async prepare(existing) {
      const { format, language, filename, titleGiven } = existing.content;
      const title = input.title ?? (titleGiven ? existing.title : input.suggestedTitle);
      const page = await renderPage(deps, { format, language, filename, title, blob }, context);
      return (locked) => ({
        // Another update may have given one meanwhile.
        title: input.title ?? (locked.content.titleGiven ? locked.title : page.title),
        ...{ sizeBytes: blob.size, excerpt: null },
        content: {
          ...locked.content,
          ...{ titleGiven: locked.content.titleGiven || input.title !== null },
          ...{ sha256: blob.sha256, blobKey: blob.key, viewKey: page.renderedKey },
        },
      });
    },
    assertReplaceable: (locked) => assertMatch(locked.content, ifMatch),
  };
  return describeItem(await replaceContent(deps, replacement, context));
}
