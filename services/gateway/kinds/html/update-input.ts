import type { InputOf } from '../../../../shared/contracts/operation.ts';
import type { updatePage } from '../../../../shared/contracts/pages.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import type { RouteOf } from '../../../../shared/items/route.ts';
import { parseText, pick } from '../../http/parameters.ts';
import type { Exchange } from '../../http/request-context.ts';
import { collectFaults } from '../../http/validation-issues.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { storeBlob } from '../../uploads/store-blob.ts';
import { readPageBody, suggestedTitle } from './body.ts';

/** From a request to what `content` needs to update a page. Immutable fields in the body are ignored (specification 4.6). */
export async function readPageUpdate(
  deps: UploadDependencies,
  exchange: Exchange,
  route: RouteOf<'html'>,
  owned: { namespace: string; id: string; ownerHash: string },
): Promise<InputOf<typeof updatePage>> {
  const body = await readPageBody(exchange, deps.budget);
  const faults = collectFaults();
  const title = parseText(
    pick(exchange.query(), body.fields, ['title']),
    'title',
    LIMITS.titleCharacters,
    faults,
  );
  faults.throwIfAny();
  const blob = await storeBlob(deps.blobs, deps.blobKeys, body.bytes);
  const { format } = route.content;
  return { ...owned, title, suggestedTitle: suggestedTitle(format, body.text), blob };
}
