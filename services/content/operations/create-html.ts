import type { createHtml as contract } from '../../../shared/contracts/html.ts';
import { describeItem } from '../../../shared/contracts/items.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { createItem } from '../../../shared/items/create-item.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { findRepost, mayBeRepost } from '../kinds/html.ts';
import { renderPage } from './render-page.ts';

type Input = InputOf<typeof contract>;

/** Makes a stored blob a page, or finds the page that the same create or an equal post has made already. */
export async function createHtml(
  deps: ContentDependencies,
  input: Input,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { format, language, contentType, filename, showTopBar, blob } = input;
  const { renderedKey, title } = await renderPage(
    deps,
    { ...{ format, language, filename, blob }, title: input.title ?? input.suggestedTitle },
    context,
  );
  const { item, existing, idempotencySalt } = await createItem(deps, input, context, {
    kind: 'html',
    content: {
      ...{ title, sizeBytes: blob.size, excerpt: null },
      content: {
        ...{ format, language, contentType, filename, showTopBar, viewKey: renderedKey },
        ...{ titleGiven: input.title !== null, sha256: blob.sha256, blobKey: blob.key },
      },
    },
    async before(tx, page) {
      if (!input.ownerKnown || !mayBeRepost(page)) return null;
      const { ownerHash, content, createdAt } = page;
      const { sha256 } = content;
      return await findRepost(tx, { ownerHash, sha256, format, id: input.id }, createdAt);
    },
  });
  return { item: describeItem(item), existing, idempotencySalt };
}
