import type { listKv, putEntry } from '../../../../shared/contracts/kv.ts';
import type { ReplyOf } from '../../../../shared/contracts/operation.ts';
import type { Entry } from '../../../../shared/items/entry.ts';
import type { ItemRef } from '../../../../shared/items/item.ts';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import { instant, listedItem } from '../../items/serializer.ts';

/** The address of a key, below that of its store. */
export const keyAddress = ({ namespace, id }: ItemRef, key: string): string =>
  `/${namespace}/${id}/${encodeURIComponent(key)}`;

/**
 * The ETag of a value. No other value ever has it, not even after the key was removed and written again. Renewing the
 * store does not change it, so that clients need not read all values again.
 */
export const etagOfEntry = ({ sequence }: { sequence: number }): string => `"${sequence.toString(36)}"`;

/** A store in a list (specification 5.6). */
export const listedStore = (
  store: ReplyOf<typeof listKv>['items'][number],
  views: number,
  baseUrl: string,
) => ({ ...listedItem('kv', store, views, baseUrl), keyCount: store.keyCount });

/** The answer to a write of a key (specification 5.4). */
export function writtenEntry(
  { namespace, id }: ItemRef,
  { entry, created, expiresAt }: ReplyOf<typeof putEntry>,
  baseUrl: string,
) {
  const { key, sizeBytes, version, updatedAt } = entry;
  const address = keyAddress({ namespace, id }, key);
  return {
    namespace,
    id,
    key,
    sizeBytes,
    created,
    version,
    link: `${baseUrl}${address}`,
    ownerLink: `${baseUrl}/api/kv${address}`,
    updatedAt: instant(updatedAt),
    expiresAt: instant(expiresAt),
  };
}

/** A key as JSON text (specification 5.3): the value goes in as it is kept, so that its numbers stay exact. */
export function entryText(
  { namespace, id, expiresAt }: ItemRecordOf<'kv'>,
  entry: Entry,
  views: number,
): string {
  const { key, value, version, updatedAt } = entry;
  const before = JSON.stringify({ namespace, id, key });
  const after = { version, updatedAt: instant(updatedAt), expiresAt: instant(expiresAt), views };
  return `${before.slice(0, -1)},"value":${value},${JSON.stringify(after).slice(1)}`;
}

/** The keys of a store (specification 5.6). */
export function storeListing(
  { namespace, id, createdAt, expiresAt }: ItemRecordOf<'kv'>,
  entries: Array<Omit<Entry, 'value'>>,
  views: number,
) {
  return {
    namespace,
    id,
    keys: entries.map(({ key }) => key),
    count: entries.length,
    entries: entries.map(({ key, sizeBytes, updatedAt }) => ({
      key,
      sizeBytes,
      updatedAt: instant(updatedAt),
    })),
    createdAt: instant(createdAt),
    expiresAt: instant(expiresAt),
    views,
  };
}
