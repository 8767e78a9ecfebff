import type { ItemRef } from '../../../../../shared/items/item.ts';
import { userAgentOf } from '../../../http/client.ts';
import { headerText } from '../../../http/text.ts';
import { refOf } from '../../../items/find-live-item.ts';
import { issueOfKey, plainKeyAddress } from '../key.ts';

/** A write of a key that says nothing out of the ordinary. */
export interface PlainPut {
  item: ItemRef;
  key: string;
  path: string;
  token: string;
  userAgent: string;
  /** The length of its body. */
  bytes: number;
}

const MAX_URL_CHARACTERS = 500;

/** Larger ones are few, and would be parsed in one go with others. */
const MAX_BYTES = 16_384;

/** Headers that this path does not look at: conditions, and the coding of a body. */
const OUT_OF_THE_ORDINARY = ['if-match', 'if-none-match', 'if-unmodified-since', 'content-encoding'];

/** The write that a PUT asks for; `null` leaves it to the normal path, which also makes all errors. */
export function plainPut({ headers, url }: Pick<Request, 'headers' | 'url'>): PlainPut | null {
  if (url.length > MAX_URL_CHARACTERS || url.includes('?')) return null;
  const path = url.slice(url.indexOf('/', url.indexOf('://') + 3));
  const address = plainKeyAddress(path);
  if (address === null || OUT_OF_THE_ORDINARY.some((name) => headers.has(name))) return null;
  const item = refOf(address);
  if (item === null || issueOfKey(address.key) !== null) return null;
  const bytes = lengthOf(headers);
  const token = headerText(headers, 'x-owner-token')?.trim();
  const userAgent = userAgentOf(headers);
  if (bytes === null || !token || userAgent === null || userAgent.trim() === '') return null;
  return { item, key: address.key, path, token, userAgent, bytes };
}

/** `null`: none is announced, or too much. */
function lengthOf(headers: Headers): number | null {
  const announced = headers.get('content-length') ?? '';
  const bytes = /^\d{1,5}$/.test(announced) ? Number(announced) : 0;
  return bytes > 0 && bytes <= MAX_BYTES ? bytes : null;
}
