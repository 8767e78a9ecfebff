import type { removeJson as contract } from '../../../shared/contracts/json.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { removeItem } from '../../../shared/items/remove-item.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { assertMatch } from '../etag-match.ts';

/**
 * Removes a JSON document.
 * @throws NOT_FOUND, OWNER_TOKEN_WRONG; PRECONDITION_FAILED when the document that stands is none of those in `ifMatch`
 */
export async function removeJson(
  deps: ContentDependencies,
  { ifMatch = null, namespace, id, ownerHash }: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  return await removeItem(deps, { kind: 'json', namespace, id, ownerHash }, context, (existing) =>
    assertMatch(existing.content, ifMatch),
  );
}
