import type * as contract from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { type ItemRef, type Kind, PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import { findItem, toItemRecord } from '../../../shared/items/item-repository.ts';
import { isVisibleToOwner } from '../../../shared/items/quarantine.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { findTombstone, toRemovedRecord } from '../../../shared/items/tombstones.ts';
import type { ContentDependencies } from '../dependencies.ts';

/**
 * Finds the item at an address, of any kind. Outside of the public namespace a removed item leaves no trace
 * (specification 2.6); an expired item leaves none anywhere until it is swept.
 */
export async function resolveItem(
  { sql, clock }: ContentDependencies,
  address: InputOf<typeof contract.resolveItem>,
): Promise<ReplyOf<typeof contract.resolveItem>> {
  const now = clock.now();
  const item = await findItem(sql, address);
  if (item !== null) return { record: item.expiresAt > now ? toItemRecord(item) : null };
  const tombstone = address.namespace === PUBLIC_NAMESPACE ? await findTombstone(sql, address) : null;
  return { record: tombstone === null ? null : toRemovedRecord(tombstone, now) };
}

/** Where a short code leads. Gone items are revealed only in the public namespace. */
export async function resolveCode(
  { sql, clock }: ContentDependencies,
  { code }: InputOf<typeof contract.resolveCode>,
): Promise<ReplyOf<typeof contract.resolveCode>> {
  const found = await findByCode(sql, code, clock.now());
  if (found === null) return { state: 'missing' };
  const { namespace, id, kind } = found;
  if (found.live && kind !== null) return { state: 'live', namespace, id, kind };
  return { state: found.isGone && found.namespace === PUBLIC_NAMESPACE ? 'gone' : 'missing' };
}

/** Where a short code leads or led. */
interface CodeTarget extends ItemRef {
  /** `null` when nothing is there any more. */
  kind: Kind | null;
  live: boolean;
  /** Removed, hidden, or expired and swept. */
  isGone: boolean;
}

async function findByCode(sql: Query, code: string, now: number): Promise<CodeTarget | null> {
  const [found] = await sql<CodeTarget[]>`
    select namespace, id, kind, expires_at > ${now} and ${isVisibleToOwner(sql)} as live, hidden as is_gone from items where code = ${code}
    union all
    select namespace, id, null, false, true from tombstones where code = ${code}
    limit 1`;
  return found ?? null;
}
