import { timingSafeEqual } from 'node:crypto';
import { errors } from '../../../shared/errors.ts';
import { LIMITS } from '../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import { isLine, isLongerThan } from '../../../shared/wording/line.ts';
import type { RequestContext } from '../http/request-context.ts';
import { headerText } from '../http/text.ts';

/** Only this hash of a token is ever stored or sent on. */
export const hashOwnerToken = (token: string): string => Bun.SHA256.hash(token, 'hex');

/** The token a request carries, in `X-Owner-Token` or `?token=`; `null` when it carries none or a blank one. */
export function ownerTokenOf(context: RequestContext): string | null {
  const header = headerText(context.request.headers, 'x-owner-token')?.trim();
  return header || context.query().get('token')?.trim() || null;
}

/** A token that a request brings along, checked. @throws OWNER_TOKEN_INVALID */
export function groupingTokenOf(context: RequestContext): string | null {
  const token = ownerTokenOf(context);
  if (token === null) return null;
  const { ownerTokenMinCharacters: min, ownerTokenMaxCharacters: max } = LIMITS;
  if (isLongerThan(token, max) || [...token].length < min) {
    throw errors.ownerTokenInvalid(
      `a token has ${min} to ${max} characters. Send one that an earlier create returned, or create without one to get a new one.`,
    );
  }
  if (!isLine(token)) {
    throw errors.ownerTokenInvalid('a token must not contain control characters.');
  }
  return token;
}

/** Whether the request's token belongs to an item, in time that does not depend on how much of it is right. */
export function isOwner(context: RequestContext, ownerHash: string): boolean {
  const hash = presentedHash(context);
  return hash !== null && isSameHash(hash, ownerHash);
}

export const isSameHash = (hash: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(hash), Buffer.from(other));

/** The hash of the request's token, made once. */
function presentedHash(context: RequestContext): string | null {
  if (context.tokenHash === undefined) {
    const token = ownerTokenOf(context);
    context.tokenHash = token === null ? null : hashOwnerToken(token);
  }
  return context.tokenHash;
}

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
