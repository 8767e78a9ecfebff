import { errors } from '../../../shared/errors.ts';
import type { LiveRoute } from '../../../shared/items/route.ts';
import type { Exchange } from '../http/request-context.ts';
import { ownerTokenOf, ownsItem } from './owner-token.ts';

/** The hash of the owner's token. @throws OWNER_TOKEN_REQUIRED (403) or OWNER_TOKEN_WRONG */
export function requireOwner(exchange: Exchange, route: LiveRoute): string {
  const token = ownerTokenOf(exchange);
  if (token === null) throw errors.ownerTokenRequired();
  if (!ownsItem(token, route.ownerHash)) throw errors.ownerTokenWrong();
  return route.ownerHash;
}

/** The token for settings and source, where a blank one is a bad request (specification 4.7). */
export function requireOwnerOfSettings(exchange: Exchange): string {
  const token = ownerTokenOf(exchange);
  if (token === null) throw errors.ownerTokenBlank();
  return token;
}
