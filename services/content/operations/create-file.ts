import type { createFile as contract } from '../../../shared/contracts/files.ts';
import { describeItem } from '../../../shared/contracts/items.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { assertRoom } from '../../../shared/items/collections.ts';
import { createItem } from '../../../shared/items/create-item.ts';
import { LIMITS } from '../../../shared/items/item.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { renderFileView } from './render-view.ts';

/** Makes a stored blob a file; of a text, people get a rendered view. @throws LIMIT_REACHED (specification 7.1) */
export async function createFile(
  deps: ContentDependencies,
  input: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { filename, contentType, family, language, blob } = input;
  const title = input.title ?? filename;
  const view =
    family === 'text'
      ? await renderFileView(deps, { language, filename, title, blob }, context)
      : { viewKey: null };
  const { item, idempotencySalt } = await createItem(deps, input, context, {
    kind: 'file',
    content: {
      ...{ title, sizeBytes: blob.size, excerpt: null },
      content: { filename, contentType, family, sha256: blob.sha256, blobKey: blob.key, ...view },
    },
    async before(tx, file) {
      const limit = { items: LIMITS.filesPerNamespace, what: 'files in this namespace' };
      await assertRoom(tx, file, limit, file.createdAt);
      return null;
    },
  });
  return { item: describeItem(item), idempotencySalt };
}
