import { describeItem } from '../../../shared/contracts/items.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { replaceSite as contract } from '../../../shared/contracts/site.ts';
import type { ItemDependencies } from '../../../shared/items/item-dependencies.ts';
import { type Replacement, replaceContent } from '../../../shared/items/replace-content.ts';

/** Replaces a site whole: its blob and index change places with the new ones in one step (specification 8.4). */
export async function replaceSite(
  deps: ItemDependencies,
  { packed, ...item }: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { totalSizeBytes, ...content } = packed;
  const replacement: Replacement<'site'> = {
    item: { ...item, kind: 'site' },
    blobKey: packed.blobKey,
    async prepare() {
      return ({ title }) => {
        return { title, sizeBytes: totalSizeBytes, excerpt: null, content };
      };
    },
  };
  return describeItem(await replaceContent(deps, replacement, context));
}
