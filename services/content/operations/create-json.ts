import { describeItem } from '../../../shared/contracts/items.ts';
import type { createJson as contract } from '../../../shared/contracts/json.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { assertRoom } from '../../../shared/items/collections.ts';
import { createItem } from '../../../shared/items/create-item.ts';
import { LIMITS } from '../../../shared/items/item.ts';
import type { ContentDependencies } from '../dependencies.ts';

/** Makes a stored blob a JSON document. @throws LIMIT_REACHED when its collection is full (specification 6.1) */
export async function createJson(
  deps: ContentDependencies,
  input: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { blob, excerpt } = input;
  const { item, idempotencySalt } = await createItem(deps, input, context, {
    kind: 'json',
    content: {
      ...{ title: input.title ?? '', sizeBytes: blob.size, excerpt },
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
