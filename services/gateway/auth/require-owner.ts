import { errors } from '../../../shared/errors.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import type { RequestContext } from '../http/request-context.ts';
import { ownerTokenOf, ownsItem } from './owner-token.ts';

/** The hash of the owner's token. @throws OWNER_TOKEN_REQUIRED (403) or OWNER_TOKEN_WRONG */
export function requireOwner(context: RequestContext, record: LiveItemRecord): string {
  const token = ownerTokenOf(context);
  if (token === null) throw errors.ownerTokenRequired();
  if (!ownsItem(token, record.ownerHash)) throw errors.ownerTokenWrong();
  return record.ownerHash;
}

/** The token for settings and source, where a blank one is a bad request (specification 4.7). */
export function requireOwnerOfSettings(context: RequestContext): string {
  const token = ownerTokenOf(context);
  if (token === null) throw errors.ownerTokenBlank();
  return token;
}
