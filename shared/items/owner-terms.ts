import { errors } from '../errors.ts';
import { LIMITS } from './item.ts';
import type { Query } from './sql.ts';

/** The longest life that an owner may give an item, in days: what holds for everybody, or more for a privileged one. */
export async function maxTtlDaysOf(sql: Query, ownerHash: string): Promise<number> {
  const [terms] = await sql<Array<{ maxTtlDays: number }>>`
    select max_ttl_days from owners where owner_id = ${ownerHash} and tier = 'PRIVILEGED'`;
  return Math.max(LIMITS.ttlDaysMax, terms?.maxTtlDays ?? 0);
}

/** Asks the database only for a life that is not open to everybody. @throws TTL_INVALID */
export async function assertTtlAllowed(sql: Query, ownerHash: string, ttlDays: number): Promise<void> {
  if (ttlDays <= LIMITS.ttlDaysMax) return;
  const maxTtlDays = await maxTtlDaysOf(sql, ownerHash);
  if (ttlDays > maxTtlDays) throw errors.ttlTooLong(maxTtlDays);
}
