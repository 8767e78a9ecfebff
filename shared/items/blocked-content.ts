import { errors } from '../errors.ts';
import { etagOf } from './etag.ts';
import type { Kind } from './item.ts';
import type { ContentChange } from './item-repository.ts';
import type { Query } from './sql.ts';

/** `make_items` (migration 41) takes it, too. */
const lockOf = (sql: Query) => sql`hashtextextended('blocked content', 7)`;

/**
 * The ETags of all that an item's owner has sent: of a page, document or file its own, of a site those of its files, that of the
 * one it begins with first. Stores have none: their values are not looked at.
 */
export function etagsOf<K extends Kind>({
  content,
  fileEtags,
}: Pick<ContentChange<K>, 'content' | 'fileEtags'>): string[] {
  const { sha256 } = content as { sha256?: string };
  return sha256 === undefined ? (fileEtags ?? []) : [etagOf({ sha256 })];
}

/**
 * Refuses content that is blocked, in the transaction that stores it. `lockBlockedContent` waits for its end: what was stored before a
 * block is committed is found by those who look for it then.
 * @throws CONTENT_BLOCKED
 */
export async function assertStorable(tx: Query, etags: string[], now: number): Promise<void> {
  if (etags.length === 0) return;
  // Sent one behind the other: the look follows the lock.
  const locking = tx`select pg_advisory_xact_lock_shared(${lockOf(tx)})`;
  const looking = tx`
    select from blocked_content where etag = any(${etags}) and expires_at > ${now} limit 1`;
  const [, found] = await Promise.all([locking, looking]);
  if (found.length > 0) throw errors.contentBlocked();
}

/** Waits for all transactions that store content. The caller's must not have locked any item before, or wait for one. */
export async function lockBlockedContent(tx: Query): Promise<void> {
  await tx`select pg_advisory_xact_lock(${lockOf(tx)})`;
}
