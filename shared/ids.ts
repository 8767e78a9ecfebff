import { customAlphabet } from 'nanoid';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LOWERCASE = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Identifier of an item whose creator chose none (specification 2.4), and of a report. */
export const newItemId = customAlphabet(ALPHANUMERIC, 10);

/** Code of the short form `/s/{code}`; the database keeps it unique over all items. */
export const newShortCode = customAlphabet(ALPHANUMERIC, 7);

/** Random bytes of a request's id, which are 16 characters. */
const REQUEST_ID_BYTES = 12;
const requestIdBytes = Buffer.alloc(512 * REQUEST_ID_BYTES);
let usedBytes = requestIdBytes.length;

/**
 * Sent back as `X-Request-Id`, and the key under which a create is idempotent inside the service. Each request needs one: `nanoid`
 * takes twice as long.
 */
export function newRequestId(): string {
  if (usedBytes === requestIdBytes.length) {
    crypto.getRandomValues(requestIdBytes);
    usedBytes = 0;
  }
  usedBytes += REQUEST_ID_BYTES;
  return requestIdBytes.toString('base64url', usedBytes - REQUEST_ID_BYTES, usedBytes);
}

const blobName = customAlphabet(LOWERCASE, 26);

/** A blob key is never used twice. Its first two characters are a folder, so that no folder grows huge. */
export const newBlobKey = (folder = newBlobFolder()): string => `${folder}/${blobName()}`;

/** A folder for keys that are used at a time: a disk syncs it once for all who put into it. */
export const newBlobFolder = customAlphabet(LOWERCASE, 2);

/** First part of the name of an item's own host: 134 random bits in characters of a DNS label. */
export const newItemLabel = customAlphabet(LOWERCASE, 26);

/** An owner token of `GET /api/owner-token`: 190 random bits in letters and digits (specification 15.6). */
export const newPlainOwnerToken = customAlphabet(ALPHANUMERIC, 32);

/** A token that grants ownership: 32 random bytes (specification 12.1). */
export function newOwnerToken(): string {
  return `own_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')}`;
}
