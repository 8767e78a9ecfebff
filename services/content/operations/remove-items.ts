import type { CallContext } from '../../../shared/call-context.ts';
import type { guardedRemoval } from '../../../shared/contracts/items.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { assertMatch, assertPageMatch } from '../../../shared/items/etag.ts';
import type { Kind } from '../../../shared/items/item.ts';
import type { Item } from '../../../shared/items/item-repository.ts';
import { removeItem } from '../../../shared/items/remove-item.ts';
import type { ContentDependencies } from '../dependencies.ts';

type Removal = ReturnType<typeof guardedRemoval>;

/**
 * The removal of items of one kind.
 * @throws NOT_FOUND, OWNER_TOKEN_WRONG; PRECONDITION_FAILED when what stands is none of those in `ifMatch`
 */
const removalOf =
  <K extends Kind>(kind: K, assertOneOf: (existing: Item<K>, ifMatch: string[] | null) => void) =>
  async (
    deps: ContentDependencies,
    { ifMatch = null, namespace, id, ownerHash }: InputOf<Removal>,
    context: CallContext,
  ): Promise<ReplyOf<Removal>> =>
    await removeItem(deps, { kind, namespace, id, ownerHash }, context, (existing) =>
      assertOneOf(existing, ifMatch),
    );

export const removeHtml = removalOf('html', assertPageMatch);

export const removeJson = removalOf('json', ({ content }, ifMatch) => assertMatch(content, ifMatch));

export const removeFile = removalOf('file', ({ content }, ifMatch) => assertMatch(content, ifMatch));
