import type { AnyDescribedItem } from '../../../shared/contracts/items.ts';
import type { OwnedItem } from '../../../shared/contracts/owners.ts';
import { API_PATHS, type ItemRef, type Kind } from '../../../shared/items/item.ts';
import type { QuarantineState } from '../../../shared/items/quarantine.ts';
import type { Cache } from '../../../shared/ports/cache.ts';

export const instant = (ms: number): string => new Date(ms).toISOString();

/** The field that tells an owner of a quarantine; nothing for an item that is in none. */
export const quarantineField = ({ quarantine }: { quarantine?: QuarantineState }) =>
  quarantine === undefined ? {} : { quarantine: { ...quarantine, since: instant(quarantine.since) } };

/** An item's addresses, for people and in the API. */
export function itemLinks(
  kind: Kind,
  { namespace, id, code }: { namespace: string; id: string; code: string },
  baseUrl: string,
) {
  const url = `${baseUrl}/${namespace}/${id}`;
  return {
    url,
    shortUrl: `${baseUrl}/s/${code}`,
    link: url,
    ownerLink: `${baseUrl}${API_PATHS[kind]}/${namespace}/${id}`,
  };
}

/** The fields that the answers to creates of all kinds share (specification 3.2). */
export function createdItem(kind: Kind, item: AnyDescribedItem, ownerToken: string, baseUrl: string) {
  const { namespace, id, title, tags, ttlDays, hasPassword, sizeBytes } = item;
  return {
    namespace,
    id,
    ...itemLinks(kind, item, baseUrl),
    ownerToken,
    title,
    sizeBytes,
    tags,
    ttlDays,
    hasPassword,
    ...quarantineField(item),
    createdAt: instant(item.createdAt),
    expiresAt: instant(item.expiresAt),
  };
}

/** The fields that the answers to updates of all kinds share. */
export function updatedItem(kind: Kind, item: AnyDescribedItem, baseUrl: string) {
  const { namespace, id, title, sizeBytes } = item;
  return {
    namespace,
    id,
    ...itemLinks(kind, item, baseUrl),
    title,
    sizeBytes,
    ...quarantineField(item),
    createdAt: instant(item.createdAt),
    updatedAt: instant(item.updatedAt),
    expiresAt: instant(item.expiresAt),
  };
}

/** The fields that an item has in every list. */
export function listedItem(kind: Kind, item: Omit<OwnedItem, 'kind'>, views: number, baseUrl: string) {
  const { namespace, id, title, tags, hasPassword, ttlDays } = item;
  const { url, shortUrl, link } = itemLinks(kind, item, baseUrl);
  return {
    namespace,
    id,
    url,
    shortUrl,
    link,
    title,
    tags,
    hasPassword,
    ttlDays,
    ...quarantineField(item),
    createdAt: instant(item.createdAt),
    updatedAt: instant(item.updatedAt),
    expiresAt: instant(item.expiresAt),
    views,
  };
}

/** An item in a list of items of all kinds (specification 15.2). */
export const ownedItem = (item: OwnedItem, views: number, baseUrl: string) => ({
  ...listedItem(item.kind, item, views, baseUrl),
  type: item.kind,
  sizeBytes: item.sizeBytes,
});

/**
 * The current views, in the order of the items; each item's `views` is the number saved last. After its data was lost, the
 * cache has fewer than that until the item is read again.
 */
export async function currentViews(
  cache: Cache,
  items: Array<ItemRef & { views: number }>,
): Promise<number[]> {
  const counted = await cache.viewsOf(items);
  return items.map(({ views }, index) => Math.max(views, counted[index] ?? 0));
}
