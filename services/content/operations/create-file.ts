import type { CallContext } from '../../../shared/call-context.ts';
import type { createFile as contract } from '../../../shared/contracts/files.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { assertRoom } from '../../../shared/items/collections.ts';
import { createItem } from '../../../shared/items/create-item.ts';
import { describeItem } from '../../../shared/items/describe-item.ts';
import { LIMITS } from '../../../shared/items/item.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { renderFile } from './render-page.ts';

/** Makes a stored blob a file; of a text, people get a rendered page. @throws LIMIT_REACHED (specification 7.1) */
export async function createFile(
  deps: ContentDependencies,
  input: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { filename, contentType, family, language, blob } = input;
  const title = input.title ?? filename;
  const { renderedKey, ...place } =
    family === 'text'
      ? await renderFile(deps, { language, filename, title, blob }, context)
      : { renderedKey: null };
  const { item, idempotencySalt } = await createItem(deps, input, context, {
    kind: 'file',
    content: {
      title,
      sizeBytes: blob.size,
      excerpt: null,
      content: {
        filename,
        contentType,
        family,
        sha256: blob.sha256,
        blobKey: blob.key,
        viewKey: renderedKey,
        ...place,
      },
    },
    async before(tx, file) {
      const limit = { items: LIMITS.filesPerNamespace, what: 'files in this namespace' };
      await assertRoom(tx, file, limit, file.createdAt);
      return null;
    },
  });
  return { item: describeItem(item), idempotencySalt };
}
