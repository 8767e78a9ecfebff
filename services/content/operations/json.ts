import type { CallContext } from '../../../shared/call-context.ts';
import type * as contract from '../../../shared/contracts/json.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { assertRoom } from '../../../shared/items/collections.ts';
import { createItem } from '../../../shared/items/create-item.ts';
import { describeItem } from '../../../shared/items/describe-item.ts';
import { assertMatch } from '../../../shared/items/etag.ts';
import { LIMITS } from '../../../shared/items/item.ts';
import { type Replacement, replaceContent } from '../../../shared/items/replace-content.ts';
import type { ContentDependencies } from '../dependencies.ts';

/** Makes a stored blob a JSON document. @throws LIMIT_REACHED when its collection is full (specification 6.1) */
export async function createJson(
  deps: ContentDependencies,
  input: InputOf<typeof contract.createJson>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.createJson>> {
  const { blob, excerpt } = input;
  const { item, idempotencySalt } = await createItem(deps, input, context, {
    kind: 'json',
    content: {
      title: input.title ?? '',
      sizeBytes: blob.size,
      excerpt,
      content: { sha256: blob.sha256, blobKey: blob.key },
    },
    async before(tx, document) {
      const limit = { items: LIMITS.jsonPerCollection, what: 'JSON documents in this collection' };
      await assertRoom(tx, document, limit, document.createdAt);
      return null;
    },
  });
  return { item: describeItem(item), idempotencySalt };
}

/**
 * Replaces a JSON document in one step; its tags stay (specification 6.3).
 * @throws PRECONDITION_FAILED when the document that stands is none of those in `ifMatch`
 */
export async function updateJson(
  deps: ContentDependencies,
  input: InputOf<typeof contract.updateJson>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.updateJson>> {
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
