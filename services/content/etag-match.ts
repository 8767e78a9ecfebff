import { errors } from '../../shared/errors.ts';
import { etagOf } from '../../shared/items/etag.ts';

/** `ifMatch` as in the contract (RFC 9110, section 13.1.1). @throws PRECONDITION_FAILED */
export function assertMatch(existing: { sha256: string }, ifMatch: string[] | null): void {
  if (ifMatch !== null && !ifMatch.includes(etagOf(existing))) throw errors.preconditionFailed();
}
