import type { Static } from '@sinclair/typebox';
import type { PageItem } from '../../../shared/contracts/content.ts';
import { type ItemRef, PUBLIC_NAMESPACE, REPOST_HOURS } from '../../../shared/items/item.ts';
import type { Item } from '../../../shared/items/registry.ts';
import type { LiveRoute, PageFormat } from '../../../shared/items/route.ts';
import type { Query } from '../../../shared/items/sql.ts';

/** What a page has beyond an item: a row of `pages`. */
export interface Page {
  format: PageFormat;
  language: string | null;
  contentType: string;
  filename: string | null;
  showTopBar: boolean | null;
  titleGiven: boolean;
  sha256: string;
  blobKey: string;
  viewKey: string | null;
}

export type StoredPage = Item & Page;

const columns = (sql: Query) => sql`
  items.namespace, items.id, items.kind, items.code, items.version, items.owner_hash, items.password_hash,
  items.title, items.tags, items.ttl_days, items.size_bytes, items.created_at, items.updated_at, items.expires_at,
  pages.format, pages.language, pages.content_type, pages.filename, pages.show_top_bar, pages.title_given,
  pages.sha256, pages.blob_key, pages.view_key`;

const pagesOfItems = (sql: Query) =>
  sql`items join pages on pages.namespace = items.namespace and pages.id = items.id`;

const PAGE_COLUMNS = [
  ...(['namespace', 'id', 'format', 'language', 'contentType', 'filename', 'showTopBar'] as const),
  ...(['titleGiven', 'sha256', 'blobKey', 'viewKey'] as const),
] satisfies Array<keyof StoredPage>;

export async function insertPage(sql: Query, page: StoredPage): Promise<void> {
  await sql`insert into pages ${sql(page, ...PAGE_COLUMNS)}`;
}

/**
 * The page at an address, live or expired; `lock` keeps others from changing it until the transaction ends. It locks
 * the rows of both tables: who waited for one alone would get the other as it was before the wait.
 */
export async function findPage(
  sql: Query,
  { namespace, id }: ItemRef,
  lock = false,
): Promise<StoredPage | null> {
  const [page] = await sql<StoredPage[]>`
    select ${columns(sql)} from ${pagesOfItems(sql)}
    where items.namespace = ${namespace} and items.id = ${id}
    ${lock ? sql`for update` : sql``}`;
  return page ?? null;
}

export async function updatePageRow(
  sql: Query,
  page: StoredPage,
  change: Pick<
    StoredPage,
    'title' | 'titleGiven' | 'sizeBytes' | 'sha256' | 'blobKey' | 'viewKey' | 'updatedAt'
  >,
): Promise<StoredPage> {
  const { namespace, id } = page;
  const [row] = await sql<Array<{ version: number }>>`
    update items
    set version = nextval('item_version'), title = ${change.title}, size_bytes = ${change.sizeBytes},
        updated_at = ${change.updatedAt}
    where namespace = ${namespace} and id = ${id} returning version`;
  await sql`
    update pages
    set title_given = ${change.titleGiven}, sha256 = ${change.sha256}, blob_key = ${change.blobKey},
        view_key = ${change.viewKey}
    where namespace = ${namespace} and id = ${id}`;
  if (row === undefined) throw new Error('a locked page is missing');
  return { ...page, ...change, version: row.version };
}

export interface RepostKey {
  ownerHash: string;
  sha256: string;
  format: PageFormat;
  /** The id the caller asks for, if any: an earlier post under another id is not this one. */
  id: string | null;
}

/**
 * The public, unprotected page of the same owner, bytes and format from the last 24 hours (specification 4.2 rule 2).
 * Holds a lock until the transaction ends: of equal posts at once, the others wait here and find the first.
 */
export async function findRepost(sql: Query, key: RepostKey, now: number): Promise<StoredPage | null> {
  const identity = [key.ownerHash, key.sha256, key.format].join(' ');
  await sql`select pg_advisory_xact_lock(hashtextextended(${identity}, 0))`;
  const [page] = await sql<StoredPage[]>`
    select ${columns(sql)} from ${pagesOfItems(sql)}
    where pages.sha256 = ${key.sha256} and pages.format = ${key.format}
      and items.owner_hash = ${key.ownerHash} and items.namespace = ${PUBLIC_NAMESPACE}
      and items.password_hash is null and items.expires_at > ${now}
      and items.created_at > ${now - REPOST_HOURS * 3_600_000}
      ${key.id === null ? sql`` : sql`and items.id = ${key.id}`}
    order by items.created_at limit 1`;
  return page ?? null;
}

/** Locks and returns pages whose time is over. */
export async function takeExpiredPages(sql: Query, now: number, limit: number): Promise<StoredPage[]> {
  return await sql<StoredPage[]>`
    select ${columns(sql)} from ${pagesOfItems(sql)}
    where items.expires_at <= ${now} order by items.expires_at limit ${limit}
    for update skip locked`;
}

/** Pages changed after a moment, in the order of their addresses, after a given one. */
export async function findPagesChangedSince(
  sql: Query,
  since: number,
  after: ItemRef,
  limit: number,
): Promise<StoredPage[]> {
  return await sql<StoredPage[]>`
    select ${columns(sql)} from ${pagesOfItems(sql)}
    where items.updated_at > ${since} and (items.namespace, items.id) > (${after.namespace}, ${after.id})
    order by items.namespace, items.id limit ${limit}`;
}

/** The keys of all blobs a page holds. */
export const blobKeysOf = (page: Page): string[] =>
  page.viewKey === null ? [page.blobKey] : [page.blobKey, page.viewKey];

export function toRoute(page: StoredPage): LiveRoute {
  const { namespace, id, version, createdAt, updatedAt, expiresAt, ownerHash, passwordHash } = page;
  const { format, title, filename, contentType, showTopBar, blobKey, viewKey, sha256 } = page;
  return {
    ...{ namespace, id, version, createdAt, updatedAt, expiresAt, ownerHash, passwordHash },
    state: 'live',
    kind: 'html',
    page: { format, title, filename, contentType, showTopBar, blobKey, viewKey, sha256 },
  };
}

export function toPageItem(page: StoredPage): Static<typeof PageItem> {
  const { namespace, id, code, format, title, filename, showTopBar, tags, ttlDays, sizeBytes, blobKey } =
    page;
  const { createdAt, updatedAt, expiresAt } = page;
  return {
    ...{ namespace, id, code, format, title, filename, showTopBar, tags, ttlDays, sizeBytes, blobKey },
    ...{ createdAt, updatedAt, expiresAt },
    hasPassword: page.passwordHash !== null,
  };
}
