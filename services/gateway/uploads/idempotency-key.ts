import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { IdempotencyRecord } from '../../../shared/contracts/create.ts';
import { errors } from '../../../shared/errors.ts';
import { hashOwnerToken } from '../auth/owner-token.ts';
import type { RequestContext } from '../http/request-context.ts';

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{16,255}$/;

/** The client's Idempotency-Key, checked: long enough that nobody else's create is hit by chance. */
export function idempotencyKeyOf({ request }: RequestContext): string | null {
  const key = request.headers.get('idempotency-key');
  if (key === null || key === '') return null;
  if (IDEMPOTENCY_KEY.test(key)) return key;
  throw errors.validationFailed([
    { field: 'Idempotency-Key', message: 'has 16 to 255 visible ASCII characters, such as a UUID.' },
  ]);
}

/**
 * A create is idempotent on its request id, and on the client's key when there is one. The key is the owner's own:
 * of two owners with one key neither gets the other's item. `ownerToken` is what the request brings; `null`: a new owner.
 */
export function makeIdempotencyRecord(
  context: RequestContext,
  idempotencyKey: string | null,
  ownerToken: string | null,
  request: unknown[],
): IdempotencyRecord {
  const owner = ownerToken === null ? 'new' : hashOwnerToken(ownerToken);
  const key = idempotencyKey === null ? `request ${context.requestId}` : `client ${idempotencyKey} ${owner}`;
  const fingerprint = sha256(JSON.stringify(request));
  if (idempotencyKey === null || ownerToken !== null) return { key: sha256(key), fingerprint };
  return { key: sha256(key), fingerprint, salt: randomBytes(32).toString('base64url') };
}

/**
 * Derives the token of a new owner, equal for every attempt at one request under one idempotency key, as only the token's
 * hash is stored. A client that guesses the key, but not the whole request, gets another token, and so does one that
 * repeats both after the key was forgotten, as each key's record has its own salt.
 * @param salt `null`: a record of an earlier release, which has none
 */
export function ownerTokenFor(
  idempotencyKey: string,
  { fingerprint }: IdempotencyRecord,
  salt: string | null,
  secret: string,
): string {
  const salted = salt === null ? '' : ` ${salt}`;
  const mark = createHmac('sha256', secret).update(`owner ${fingerprint} ${idempotencyKey}${salted}`);
  return `own_${mark.digest('base64url')}`;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
