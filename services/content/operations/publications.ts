import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext } from '../../../shared/call-context.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type * as contract from '../../../shared/contracts/publications.ts';
import type { Publication, PublicationFilter } from '../../../shared/contracts/publications.ts';
import { announceItem } from '../../../shared/items/announce-item.ts';
import { itemKey } from '../../../shared/items/item.ts';
import { hideItemRow, toItemRecord } from '../../../shared/items/item-repository.ts';
import { changeItem } from '../../../shared/items/item-turns.ts';
import { findLiveItem } from '../../../shared/items/owned-item.ts';
import { findingIdOf } from '../../../shared/items/quarantine.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { ContentDependencies } from '../dependencies.ts';

/** Items are counted up to this many. */
const COUNT_BOUND = 100_000;

/** A part of all items for the operator, and how many there are. */
export async function listPublications(
  { sql, clock }: Pick<ContentDependencies, 'sql' | 'clock'>,
  { filter, ...page }: InputOf<typeof contract.listPublications>,
): Promise<ReplyOf<typeof contract.listPublications>> {
  const now = clock.now();
  const [found, counted] = await Promise.all([
    findPublications(sql, filter, page, now),
    countPublications(sql, filter, COUNT_BOUND + 1, now),
  ]);
  const isLowerBound = counted > COUNT_BOUND;
  const listed = found.map(({ blobKey, ...item }) => ({
    ...item,
    ...(item.quarantine ? { findingId: findingIdOf(blobKey ?? '', item.quarantine) } : {}),
  }));
  return { publications: listed, total: { count: Math.min(counted, COUNT_BOUND), isLowerBound } };
}

/** Hides an item from everybody but its owner, or shows it again. @throws NOT_FOUND, TIMEOUT */
export async function hideItem(
  deps: ContentDependencies,
  { namespace, id, hidden, clientIp, actor }: InputOf<typeof contract.hideItem>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.hideItem>> {
  const { clock, log } = deps;
  const item = await changeItem(
    deps,
    { namespace, id },
    context,
    'a change of who sees an item',
    async (tx) => {
      const locked = await findLiveItem(tx, { namespace, id }, { clock, lock: true });
      const now = clock.now();
      const changed = await hideItemRow(tx, locked, hidden, now);
      await recordDone(tx, context, hidden ? 'hide-item' : 'show-item', itemKey(locked), actor, now);
      return changed;
    },
  );
  // Also when nothing has changed: an earlier attempt may have died between its commit and its announcement.
  await announceItem(deps, toItemRecord(item));
  const { kind, code } = item;
  log.warn(
    { requestId: context.requestId, clientIp, item: itemKey(item), kind, code },
    hidden ? 'an item was hidden' : 'an item was shown again',
  );
  return { kind, quarantined: item.quarantine !== null };
}

/** A publication, and the blob that names its content; `null` of a store. */
type ListedItem = Publication & { blobKey: string | null };

/** Items that have not expired and pass a filter, newest first. */
async function findPublications(
  sql: Query,
  filter: PublicationFilter,
  { offset, limit }: { offset: number; limit: number },
  now: number,
): Promise<ListedItem[]> {
  return await sql<ListedItem[]>`
    select namespace, id, kind, code, title, tags, password_hash is not null as has_password,
      case kind when 'kv' then (
        select coalesce(sum(entry.size_bytes), 0)::bigint from kv_entries as entry
        where entry.namespace = items.namespace and entry.id = items.id
      ) else size_bytes end as size_bytes,
      views, owner_hash as owner_id, client_ip, user_agent,
      case when quarantine is not null then 'quarantined' when hidden then 'hidden' else 'live' end as state,
      quarantine - 'hidden' as quarantine, content ->> 'blobKey' as blob_key, created_at, expires_at
    from items where ${matching(sql, filter, now)}
    order by created_at desc, namespace desc, id desc offset ${offset} limit ${limit}`;
}

/** How many items pass a filter, up to a bound. */
async function countPublications(
  sql: Query,
  filter: PublicationFilter,
  bound: number,
  now: number,
): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from (select from items where ${matching(sql, filter, now)} limit ${bound}) as found`;
  return found?.count ?? 0;
}

const matching = (
  sql: Query,
  { kind, namespace, id, state, ownerId = null, clientIp = null }: PublicationFilter,
  now: number,
) => sql`
  expires_at > ${now}
  ${kind === null ? sql`` : sql`and kind = ${kind}`}
  ${namespace === null ? sql`` : sql`and namespace = ${namespace}`}
  ${id === null ? sql`` : sql`and id = ${id}`}
  ${ownerId === null ? sql`` : sql`and owner_hash = ${ownerId}`}
  ${clientIp === null ? sql`` : sql`and client_ip = ${clientIp}`}
  ${state === null ? sql`` : sql`and ${STATES[state](sql)}`}`;

const STATES = {
  live: (sql: Query) => sql`not hidden`,
  hidden: (sql: Query) => sql`(hidden and quarantine is null)`,
  quarantined: (sql: Query) => sql`quarantine is not null`,
};
