import type { updateHtml } from '../../../../shared/contracts/html.ts';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import { parseText, pick } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { storeBlob } from '../../uploads/store-blob.ts';
import { readPageBody, suggestedTitle } from './body.ts';

/** From a request to what `content` needs to update a page. Immutable fields in the body are ignored (specification 4.6). */
export async function readPageUpdate(
  deps: UploadDependencies,
  context: RequestContext,
  record: ItemRecordOf<'html'>,
  owned: { namespace: string; id: string; ownerHash: string },
): Promise<InputOf<typeof updateHtml>> {
  const body = await readPageBody(context, deps.budget);
  const issues = collectIssues();
  const title = parseText(
    pick(context.query(), body.fields, ['title']),
    'title',
    LIMITS.titleCharacters,
    issues,
  );
  issues.throwIfAny();
  const blob = await storeBlob(deps.blobs, deps.blobKeys, body.bytes);
  const { format } = record.content;
  return { ...owned, title, suggestedTitle: suggestedTitle(format, body.text), blob };
}
