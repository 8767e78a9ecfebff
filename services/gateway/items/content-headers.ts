import { PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';

type Protectable = Pick<LiveItemRecord, 'passwordHash' | 'hidden'>;

/** Whether everybody may read an item who has its address: it has no password, and is not hidden from all but its owner. */
export const isForAll = ({ passwordHash, hidden }: Protectable): boolean =>
  passwordHash === null && hidden !== true;

/** The Cache-Control of an answer about an item: `open`, or `private, no-store` when it is not for all. */
export const cacheControl = (record: Protectable, open = 'no-cache') => ({
  'Cache-Control': isForAll(record) ? open : 'private, no-store',
});

/** Whether an item is in the gallery and for search engines (specification 2.3). */
export const isListed = (record: LiveItemRecord): boolean =>
  record.namespace === PUBLIC_NAMESPACE && isForAll(record);

/** Search engines index public items only (specification 9.3). */
export const robotsHeaders = (record: LiveItemRecord): Record<string, string> =>
  isListed(record) ? {} : { 'X-Robots-Tag': 'noindex' };

/** Request headers that answers with an item's content depend on. */
export const VARY = 'Accept, Accept-Encoding, Sec-Fetch-Dest';

/** Headers of every answer with an item's content; `open` is the Cache-Control of one that is for all. */
export const contentHeaders = (record: LiveItemRecord, open = 'no-cache'): Record<string, string> => ({
  ...robotsHeaders(record),
  ...cacheControl(record, open),
  'Referrer-Policy': 'no-referrer',
  Vary: VARY,
});

/** Files and parts of sites may be kept for an hour (specification 9.3). */
export const FILE_CACHE = 'public, max-age=3600';
