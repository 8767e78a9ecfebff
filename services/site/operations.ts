import type { CallContext } from '../../shared/call-context.ts';
import type { InputOf, ReplyOf } from '../../shared/contracts/operation.ts';
import type * as sites from '../../shared/contracts/site.ts';
import { errors } from '../../shared/errors.ts';
import { createItem } from '../../shared/items/create-item.ts';
import { describeItem } from '../../shared/items/describe-item.ts';
import type { ItemDependencies } from '../../shared/items/item-dependencies.ts';
import type { Item } from '../../shared/items/item-repository.ts';
import { assertTtlAllowed } from '../../shared/items/owner-terms.ts';
import { type Replacement, replaceContent } from '../../shared/items/replace-content.ts';

/** Makes a packed upload a site. */
export async function createSite(
  deps: ItemDependencies,
  input: InputOf<typeof sites.createSite>,
  context: CallContext,
): Promise<ReplyOf<typeof sites.createSite>> {
  const { packed, title, suggestedTitle } = input;
  const { totalSizeBytes, fileEtags = null, ...content } = packed;
  const { item, idempotencySalt } = await createItem(deps, input, context, {
    kind: 'site',
    content: {
      title: title ?? suggestedTitle,
      sizeBytes: totalSizeBytes,
      excerpt: null,
      fileEtags,
      content: { ...content, titleGiven: title !== null },
    },
  });
  return { item: describeItem(item), idempotencySalt };
}

type ReplaceInput = InputOf<typeof sites.replaceSite>;

/**
 * Replaces a site whole: its blob and index change places with the new ones in one step (specification 8.4).
 * @throws PRECONDITION_FAILED when other files than those of `replacedIndexKey` are there, and what `replaceContent` throws
 */
export async function replaceSite(
  deps: ItemDependencies,
  { packed, tags, ttlDays, title, suggestedTitle, replacedIndexKey, ...item }: ReplaceInput,
  context: CallContext,
): Promise<ReplyOf<typeof sites.replaceSite>> {
  const { totalSizeBytes, fileEtags = null, ...content } = packed;
  const replacement: Replacement<'site'> = {
    item: { ...item, kind: 'site' },
    blobKey: packed.blobKey,
    assertReplaceable(locked) {
      const { indexKey } = locked.content;
      if (replacedIndexKey !== undefined && replacedIndexKey !== indexKey) throw errors.preconditionFailed();
    },
    async prepare() {
      if (ttlDays !== undefined) await assertTtlAllowed(deps.sql, item.ownerHash, ttlDays);
      return (locked) => {
        const titleGiven = title !== undefined || isTitleGiven(locked);
        return {
          title: title ?? (titleGiven ? locked.title : (suggestedTitle ?? locked.title)),
          sizeBytes: totalSizeBytes,
          excerpt: null,
          fileEtags,
          content: { ...content, titleGiven },
          ...(tags === undefined ? {} : { tags }),
          ...(ttlDays === undefined
            ? {}
            : { ttlDays, expiresAt: deps.clock.now() + ttlDays * deps.ttlDayMs }),
        };
      };
    },
  };
  return describeItem(await replaceContent(deps, replacement, context));
}

/** Sites of earlier releases do not say so: there a title that is not the entry file's name was given or found. */
const isTitleGiven = ({ title, content }: Item<'site'>): boolean =>
  content.titleGiven ?? title !== content.entryFile;
