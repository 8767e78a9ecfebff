import { errors } from '../../../shared/errors.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import type { RequestContext } from '../http/request-context.ts';
import { isOwner, ownerTokenOf } from './owner-token.ts';

/** The hash of the owner's token. @throws OWNER_TOKEN_REQUIRED (403) or OWNER_TOKEN_WRONG */
export function requireOwner(context: RequestContext, record: LiveItemRecord): string {
  if (isOwner(context, record.ownerHash)) return record.ownerHash;
  throw ownerTokenOf(context) === null ? errors.ownerTokenRequired() : errors.ownerTokenWrong();
}

/** The token for settings and source, where a blank one is a bad request (specification 4.7). */
export function requireOwnerOfSettings(context: RequestContext): string {
  const token = ownerTokenOf(context);
  if (token === null) throw errors.ownerTokenBlank();
  return token;
}
