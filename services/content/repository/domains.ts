import type { DomainClaim, DomainFinding, DomainState } from '../../../shared/contracts/domains.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import { type AnyItem, changeItemRow, itemColumns } from '../../../shared/items/item-repository.ts';
import type { Query } from '../../../shared/items/sql.ts';

/** A claim with the item that it is of. */
export interface Claim extends DomainClaim {
  code: string;
}

const claimColumns = (sql: Query) =>
  sql([
    ...(['code', 'domain', 'token', 'state', 'claimedAt', 'verifiedAt', 'lostAt', 'checkedAt'] as const),
    'finding',
  ]);

export async function findClaim(sql: Query, code: string): Promise<Claim | null> {
  const [found] = await sql<Claim[]>`select ${claimColumns(sql)} from item_domains where code = ${code}`;
  return found ?? null;
}

export async function findHolder(sql: Query, domain: string): Promise<Claim | null> {
  const [found] = await sql<Claim[]>`
    select ${claimColumns(sql)} from item_domains where domain = ${domain} and state <> 'pending'`;
  return found ?? null;
}

/** The item that holds a domain; also an expired one, while it has not been swept. */
export async function findHoldingItem(
  sql: Query,
  domain: string,
): Promise<(ItemRef & { state: DomainState }) | null> {
  const [found] = await sql<Array<ItemRef & { state: DomainState }>>`
    select items.namespace, items.id, held.state from item_domains as held join items using (code)
    where held.domain = ${domain} and held.state <> 'pending'`;
  return found ?? null;
}

/** Keeps others from claiming for this owner until the transaction ends. Returns how many domains the owner has claimed. */
export async function lockOwnerClaims(sql: Query, ownerHash: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended('domains of ' || ${ownerHash}, 0))`;
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from item_domains where owner_hash = ${ownerHash}`;
  return found?.count ?? 0;
}

/** Keeps others from deciding who holds a domain until the transaction ends. */
export async function lockDomain(sql: Query, domain: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('domain ' || ${domain}, 0))`;
}

/** Locks items in the order of their addresses, so that no two wait for each other. */
export async function lockItems(sql: Query, codes: string[]): Promise<AnyItem[]> {
  return await sql<AnyItem[]>`
    select ${itemColumns(sql)} from items where code = any(${codes}::text[]) order by namespace, id for update`;
}

export async function insertClaim(
  sql: Query,
  claim: Pick<Claim, 'code' | 'domain' | 'token' | 'claimedAt'> & { ownerHash: string; dueAt: number },
): Promise<void> {
  const { code, domain, token, claimedAt, ownerHash, dueAt } = claim;
  await sql`
    insert into item_domains (code, domain, owner_hash, token, state, claimed_at, due_at)
    values (${code}, ${domain}, ${ownerHash}, ${token}, 'pending', ${claimedAt}, ${dueAt})`;
}

export async function deleteClaim(sql: Query, code: string): Promise<boolean> {
  const { count } = await sql`delete from item_domains where code = ${code}`;
  return count === 1;
}

/** The columns of a claim that a check changes. */
export interface CheckedClaim {
  state: DomainState;
  finding: DomainFinding;
  verifiedAt: number | null;
  lostAt: number | null;
  checkedAt: number;
  dueAt: number | null;
}

export async function updateClaim(sql: Query, code: string, checked: CheckedClaim): Promise<void> {
  const columns: Record<string, unknown> = { ...checked };
  await sql`update item_domains set ${sql(columns, ...Object.keys(columns))} where code = ${code}`;
}

/** Sets which domain a locked item holds. Returns the item as it is from then on. */
export async function setItemDomain(
  sql: Query,
  item: AnyItem,
  domain: string | null,
  now: number,
): Promise<AnyItem> {
  return { ...item, domain, version: await changeItemRow(sql, item, { domain, renewedAt: now }) };
}

/**
 * Takes claims whose check is due, and leaves them to nobody else until a moment: first those of domains that items hold, as claims
 * cost nothing; of either the longest due.
 */
export async function takeDueClaims(sql: Query, now: number, until: number, limit: number): Promise<Claim[]> {
  return await sql<Claim[]>`
    update item_domains set due_at = ${until} where code in (
      select code from item_domains where due_at <= ${now}
      order by state = 'pending', due_at limit ${limit} for update skip locked
    ) returning ${claimColumns(sql)}`;
}
