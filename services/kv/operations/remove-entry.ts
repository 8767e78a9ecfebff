import type { CallContext } from '../../../shared/call-context.ts';
import type { removeEntry as contract } from '../../../shared/contracts/kv.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { errors } from '../../../shared/errors.ts';
import { changeItem } from '../../../shared/items/item-turns.ts';
import { findOwnedItem } from '../../../shared/items/owned-item.ts';
import { announceEntry } from '../announce-entry.ts';
import { assertMatch } from '../conditions.ts';
import type { KvDependencies } from '../dependencies.ts';
import { lockEntry } from '../repository/entries.ts';
import { deleteEntry, findRemoval } from '../repository/removed-entries.ts';

/**
 * Removes a key; the store stays, also without keys (specification 5.5). The removal is announced also when there is nothing
 * to remove: an earlier attempt may have died between its commit and its announcement.
 * @throws NOT_FOUND of the store or of the key, OWNER_TOKEN_WRONG, PRECONDITION_FAILED, TIMEOUT
 */
export async function removeEntry(
  deps: KvDependencies,
  { namespace, id, ownerHash, key, ifMatch }: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { clock } = deps;
  const removal = await changeItem(deps, { namespace, id }, context, 'a removal', async (tx) => {
    const owned = { kind: 'kv' as const, namespace, id, ownerHash };
    const { code: store, expiresAt } = await findOwnedItem(tx, owned, { clock, lock: true });
    const existing = await lockEntry(tx, { namespace, id, key });
    const isThere = existing !== null;
    if (isThere) assertMatch(existing, ifMatch);
    const sequence = isThere
      ? await deleteEntry(tx, { namespace, id, key, store }, clock.now())
      : await findRemoval(tx, { namespace, id, key });
    return { store, expiresAt, sequence, isThere };
  });
  const { store, expiresAt, sequence, isThere } = removal;
  if (sequence !== null) {
    await announceEntry(deps, { namespace, id }, { store, key, sequence, entry: null }, expiresAt);
  }
  if (isThere) return {};
  assertMatch(null, ifMatch);
  throw errors.keyNotFound(namespace, id, key);
}
