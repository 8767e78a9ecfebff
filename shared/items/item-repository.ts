import { blobKeysOf, type ContentOf } from './content.ts';
import type { DeliveryMode } from './delivery-mode.ts';
import type { ItemRef, Kind } from './item.ts';
import type { LiveItemRecord } from './item-record.ts';
import { isHiddenByOperator, type Quarantine, toQuarantineState } from './quarantine.ts';
import type { Query } from './sql.ts';

/** A row of `items`. */
export interface Item<K extends Kind> extends ItemRef {
  kind: K;
  code: string;
  version: number;
  ownerHash: string;
  passwordHash: string | null;
  title: string;
  tags: string[];
  ttlDays: number;
  sizeBytes: number;
  /** The beginning of a JSON document; `null` for every other kind. */
  excerpt: string | null;
  content: ContentOf[K];
  createdAt: number;
  updatedAt: number;
  expiresAt: number;
  /** Views as the counter was last saved; the cache knows better. */
  views: number;
  /** Hidden from everybody but its owner: by the operator, or as it is in quarantine. */
  hidden: boolean;
  /** `null`: it is not in quarantine. */
  quarantine: Quarantine | null;
  /** Where its owner wants it served; `null`: the owner has not said. */
  deliveryMode: DeliveryMode | null;
  /** The label of its own host; `null` while it has none. */
  label: string | null;
  /** Grows with each change of `deliveryMode`, from 1. */
  hostingVersion: number;
  /** The domain of its owner's that it holds; `null` while it holds none. */
  domain: string | null;
}

/** An item of whatever kind. */
export type AnyItem = { [K in Kind]: Item<K> }[Kind];

/** Broken by a taken address, a taken short code, a repeated create. */
export const CONSTRAINTS = {
  address: 'items_pkey',
  code: 'items_code_key',
  idempotencyKey: 'create_receipts_pkey',
} as const;

/** The columns that an insert fills; `make_items` (migration 41) names them, too. */
export const COLUMNS = [
  ...(['namespace', 'id', 'kind', 'code', 'ownerHash', 'passwordHash', 'title', 'tags', 'ttlDays'] as const),
  ...(['sizeBytes', 'excerpt', 'content', 'createdAt', 'updatedAt', 'expiresAt', 'hidden'] as const),
  ...(['deliveryMode', 'label', 'hostingVersion', 'domain', 'quarantine'] as const),
] satisfies Array<keyof AnyItem>;

/** The columns of an item, in every query that returns whole items. */
export const itemColumns = (sql: Query) => sql(['version', 'views', ...COLUMNS]);

/** The item at an address, live or expired; `lock` keeps others from changing it until the transaction ends. */
export async function findItem(
  sql: Query,
  { namespace, id }: ItemRef,
  lock = false,
): Promise<AnyItem | null> {
  const [item] = await sql<AnyItem[]>`
    select ${itemColumns(sql)} from items where namespace = ${namespace} and id = ${id}
    ${lock ? sql`for update` : sql``}`;
  return item ?? null;
}

/** The items at many addresses, in any order. */
export async function findItems(sql: Query, items: ItemRef[]): Promise<AnyItem[]> {
  const namespaces = items.map((item) => item.namespace);
  const ids = items.map((item) => item.id);
  return await sql<AnyItem[]>`
    select ${itemColumns(sql)} from items
    where (namespace, id) in (select * from unnest(${namespaces}::text[], ${ids}::text[]))`;
}

/** The fields that an update changes: with `ttlDays` and `expiresAt`, which come together, the item's life, too. */
export interface ContentChange<K extends Kind>
  extends Partial<Pick<AnyItem, 'tags' | 'ttlDays' | 'expiresAt' | 'hidden' | 'quarantine'>> {
  title: string;
  sizeBytes: number;
  excerpt: string | null;
  content: ContentOf[K];
  /** ETags of a site's files, that of the one it begins with first; null when the gateway does not tell. */
  fileEtags?: string[] | null;
}

/**
 * Sets columns of a locked row, and with them its version: whatever changes an item makes a new one. Returns that.
 * @param columns `renewedAt` among them tells the repair pass, unless the content's `updatedAt` does
 */
export async function changeItemRow(
  sql: Query,
  { namespace, id }: ItemRef,
  columns: Record<string, unknown>,
): Promise<number> {
  const [changed] = await sql<Array<{ version: number }>>`
    update items set ${sql(columns, ...Object.keys(columns))}, version = next_item_version()
    where namespace = ${namespace} and id = ${id} returning version`;
  if (changed === undefined) throw new Error('a locked item is missing');
  return changed.version;
}

/** Changes the content of a locked row. Returns the item as it is from then on. */
export async function updateItemRow<K extends Kind>(
  sql: Query,
  item: Item<K>,
  change: ContentChange<K>,
  now: number,
): Promise<Item<K>> {
  const row = { ...change, updatedAt: now };
  const renewed = change.expiresAt === undefined ? {} : { renewedAt: now };
  return { ...item, ...row, version: await changeItemRow(sql, item, { ...row, ...renewed }) };
}

/** Sets when a locked row's time is over. Returns the item as it is from then on. */
export async function renewItemRow(
  sql: Query,
  item: AnyItem,
  { ttlDays, expiresAt }: Pick<AnyItem, 'ttlDays' | 'expiresAt'>,
  now: number,
): Promise<AnyItem> {
  const life = { ttlDays, expiresAt };
  return { ...item, ...life, version: await changeItemRow(sql, item, { ...life, renewedAt: now }) };
}

/**
 * Sets whether a locked row is hidden, and why. Returns the item as it is from then on. Reports count anew from
 * `moderated_at`, so only a decision of the operator moves it; of a scan `renewed_at` tells the repair pass. `shown_at` tells
 * the pass that announces items to search engines.
 */
export async function setItemVisibility(
  sql: Query,
  item: AnyItem,
  visibility: Pick<AnyItem, 'hidden' | 'quarantine'>,
  now: number,
  decidedBy: 'operator' | 'scan',
): Promise<AnyItem> {
  const at = {
    [decidedBy === 'operator' ? 'moderatedAt' : 'renewedAt']: now,
    ...(item.hidden && !visibility.hidden ? { shownAt: now } : {}),
  };
  return { ...item, ...visibility, version: await changeItemRow(sql, item, { ...visibility, ...at }) };
}

/** Sets whether the operator hides a locked row, beside a quarantine of it. Returns the item as it is from then on. */
export async function hideItemRow(sql: Query, item: AnyItem, hidden: boolean, now: number): Promise<AnyItem> {
  if (isHiddenByOperator(item) === hidden) return item;
  const { quarantine } = item;
  const visibility =
    quarantine === null ? { hidden, quarantine } : { hidden: true, quarantine: { ...quarantine, hidden } };
  return await setItemVisibility(sql, item, visibility, now, 'operator');
}

/**
 * Locks and returns items whose time is over, the oldest first; in a transaction, whose later statements sort only where
 * they must. Statistics know of few expired items when many have just expired: PostgreSQL would then read and sort all
 * of them for each batch instead of walking the index on `expires_at`.
 */
export async function takeExpiredItems(sql: Query, now: number, limit: number): Promise<AnyItem[]> {
  const [, items] = await Promise.all([
    sql`set local enable_sort = off`,
    sql<AnyItem[]>`
      select ${itemColumns(sql)} from items where expires_at <= ${now}
      order by expires_at limit ${limit} for update skip locked`,
  ]);
  return items;
}

/** Items changed, renewed, hidden or shown after a moment, in the order of their addresses, after a given one. */
export async function findItemsChangedSince(
  sql: Query,
  since: number,
  after: ItemRef,
  limit: number,
): Promise<AnyItem[]> {
  return await sql<AnyItem[]>`
    select ${itemColumns(sql)} from items
    where (updated_at > ${since} or renewed_at > ${since} or moderated_at > ${since}) and (namespace, id) > (${after.namespace}, ${after.id})
    order by namespace, id limit ${limit}`;
}

/** The keys of all blobs that items hold. */
export const blobKeysOfItems = (items: AnyItem[]): string[] =>
  items.flatMap((item) => blobKeysOf(item.content));

export function toItemRecord(item: AnyItem): LiveItemRecord {
  const { namespace, id, kind, code, version, title, tags, sizeBytes, content } = item;
  const { createdAt, updatedAt, expiresAt, ownerHash, passwordHash, views: savedViews, hidden } = item;
  const { deliveryMode, label, hostingVersion, domain, quarantine } = item;
  return {
    namespace,
    id,
    kind,
    code,
    version,
    title,
    tags,
    sizeBytes,
    content,
    createdAt,
    updatedAt,
    expiresAt,
    ownerHash,
    passwordHash,
    savedViews,
    ...(hidden ? { hidden } : {}),
    ...(quarantine === null ? {} : { quarantine: toQuarantineState(quarantine) }),
    ...(deliveryMode === null ? {} : { deliveryMode }),
    ...(label === null ? {} : { label }),
    ...(hostingVersion === 1 ? {} : { hostingVersion }),
    ...(domain === null ? {} : { domain }),
    state: 'live',
  } as LiveItemRecord;
}
