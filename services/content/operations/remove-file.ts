import type { CallContext } from '../../../shared/call-context.ts';
import type { removeFile as contract } from '../../../shared/contracts/files.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { assertMatch } from '../../../shared/items/etag.ts';
import { removeItem } from '../../../shared/items/remove-item.ts';
import type { ContentDependencies } from '../dependencies.ts';

/**
 * Removes a file.
 * @throws NOT_FOUND, OWNER_TOKEN_WRONG; PRECONDITION_FAILED when the file that stands is none of those in `ifMatch`
 */
export async function removeFile(
  deps: ContentDependencies,
  { ifMatch = null, namespace, id, ownerHash }: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  return await removeItem(deps, { kind: 'file', namespace, id, ownerHash }, context, (existing) =>
    assertMatch(existing.content, ifMatch),
  );
}
