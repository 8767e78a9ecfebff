import type { PageFormat } from '../../../shared/items/content.ts';
import { PUBLIC_NAMESPACE, REPOST_HOURS } from '../../../shared/items/item.ts';
import { type Item, itemColumns } from '../../../shared/items/item-repository.ts';
import type { Query } from '../../../shared/items/sql.ts';

/** An HTML, markdown or text page. */
export type HtmlItem = Item<'html'>;

export interface RepostKey {
  ownerHash: string;
  sha256: string;
  format: PageFormat;
  /** The id the caller asks for, if any: an earlier post under another id is not this one. */
  id: string | null;
}

/**
 * The public, unprotected page of the same owner, bytes and format from the last 24 hours (specification 3.4).
 * Holds a lock until the transaction ends: of equal posts at once, the others wait here and find the first.
 */
export async function findRepost(sql: Query, key: RepostKey, now: number): Promise<HtmlItem | null> {
  const identity = [key.ownerHash, key.sha256, key.format].join(' ');
  const locking = sql`select pg_advisory_xact_lock(hashtextextended(${identity}, 0))`;
  // Sent along, it is carried out once the lock is held. Kind and namespace stand in the text, as in the index.
  const finding = sql<HtmlItem[]>`
    select ${itemColumns(sql)} from items
    where kind = 'html' and namespace = 'public' and owner_hash = ${key.ownerHash}
      and content ->> 'sha256' = ${key.sha256} and content ->> 'format' = ${key.format}
      and password_hash is null and expires_at > ${now}
      and created_at > ${now - REPOST_HOURS * 3_600_000}
      ${key.id === null ? sql`` : sql`and id = ${key.id}`}
    order by created_at limit 1`;
  const [, [page]] = await Promise.all([locking, finding]);
  return page ?? null;
}

/** Whether an equal page can have been posted before (specification 3.4). */
export const mayBeRepost = ({ namespace, passwordHash }: HtmlItem): boolean =>
  namespace === PUBLIC_NAMESPACE && passwordHash === null;
