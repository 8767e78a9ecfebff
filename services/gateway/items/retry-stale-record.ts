import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import { isBlobMissing } from '../../../shared/items/read-blob.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { ItemLookup } from './item-lookup.ts';

/**
 * Answers a read. When its content is missing because the cached record was stale, the cache forgets that record, and the read
 * is answered anew, once.
 * @param seen tells, once `answer` has failed, by which record it has read the content; `null`: it has found none
 */
export async function retryStaleRecord(
  { lookup }: { lookup: Pick<ItemLookup, 'forgetIfStale'> },
  { callContext }: RequestContext,
  seen: { readonly record: LiveItemRecord | null },
  answer: () => Promise<Response>,
  answerAnew: () => Promise<Response>,
): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    const { record } = seen;
    if (!isBlobMissing(error) || record === null) throw error;
    if (!(await lookup.forgetIfStale(record, callContext))) throw error;
    return await answerAnew();
  }
}
