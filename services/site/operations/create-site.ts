import { describeItem } from '../../../shared/contracts/items.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { createSite as contract } from '../../../shared/contracts/site.ts';
import { createItem } from '../../../shared/items/create-item.ts';
import type { ItemDependencies } from '../../../shared/items/item-dependencies.ts';

/** Makes a packed upload a site. */
export async function createSite(
  deps: ItemDependencies,
  input: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { packed, title, suggestedTitle } = input;
  const { totalSizeBytes, fileEtags = null, ...content } = packed;
  const { item, idempotencySalt } = await createItem(deps, input, context, {
    kind: 'site',
    content: {
      ...{ title: title ?? suggestedTitle, sizeBytes: totalSizeBytes, excerpt: null, fileEtags },
      content: { ...content, titleGiven: title !== null },
    },
  });
  return { item: describeItem(item), idempotencySalt };
}
