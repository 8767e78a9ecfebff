import type { updatePage } from '../../../shared/contracts/content.ts';
import type { InputOf } from '../../../shared/contracts/operation.ts';
import { LIMITS } from '../../../shared/items/item.ts';
import type { LiveRoute } from '../../../shared/items/route.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import type { Exchange } from '../http/exchange.ts';
import { collectFaults } from './faults.ts';
import { readPageBody, suggestedTitle } from './page-body.ts';
import { parseText, pick } from './parameters.ts';
import { storeBlob } from './store-blob.ts';

/** From a request to what `content` needs to update a page. Immutable fields in the body are ignored (4.2 rule 3). */
export async function readPageUpdate(
  deps: GatewayDependencies,
  exchange: Exchange,
  { namespace, id, page }: LiveRoute,
  ownerHash: string,
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
  return { namespace, id, ownerHash, title, suggestedTitle: suggestedTitle(page.format, body.text), blob };
}
