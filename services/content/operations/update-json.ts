import { describeItem } from '../../../shared/contracts/items.ts';
import type { updateJson as contract } from '../../../shared/contracts/json.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { type Replacement, replaceContent } from '../../../shared/items/replace-content.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { assertMatch } from '../etag-match.ts';

/**
 * Replaces a JSON document in one step; its tags stay (specification 6.3).
 * @throws PRECONDITION_FAILED when the document that stands is none of those in `ifMatch`
 */
export async function updateJson(
  deps: ContentDependencies,
  input: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { namespace, id, ownerHash, blob, excerpt, ifMatch } = input;
  const replacement: Replacement<'json'> = {
    item: { kind: 'json', namespace, id, ownerHash },
    blobKey: blob.key,
    async prepare() {
      return (locked) => {
        const content = { sha256: blob.sha256, blobKey: blob.key };
        return { title: locked.title, sizeBytes: blob.size, excerpt, content };
      };
    },
    assertReplaceable: (locked) => assertMatch(locked.content, ifMatch),
  };
  return describeItem(await replaceContent(deps, replacement, context));
}
