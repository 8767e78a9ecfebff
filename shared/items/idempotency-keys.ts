import type { IdempotencyRecord } from '../contracts/create.ts';
import { errors } from '../errors.ts';
import type { ItemRef } from './item.ts';
import type { Query } from './sql.ts';

/**
 * The item that an earlier attempt at the same create made, if it is still there. In the database an idempotency key is a
 * `receipt` of `create_receipts`.
 * @throws VALIDATION_FAILED when the key was used for another request.
 */
export async function findByIdempotencyKey(
  sql: Query,
  idempotency: IdempotencyRecord,
): Promise<(ItemRef & { salt: string | null }) | null> {
  const [found] = await sql<Array<ItemRef & { fingerprint: string; salt: string | null }>>`
    select namespace, id, fingerprint, salt from create_receipts where receipt = ${idempotency.key}`;
  if (found === undefined) return null;
  if (found.fingerprint !== idempotency.fingerprint) throw errors.idempotencyKeyReused();
  return found;
}

/** Forgets some idempotency keys of creates before a moment. Returns how many. */
export async function forgetIdempotencyKeys(sql: Query, before: number, limit: number): Promise<number> {
  // Skips what goes with its item right now: two that wait for each other's rows would end in a deadlock.
  const { count } = await sql`
    delete from create_receipts where receipt = any(array(
      select receipt from create_receipts where created_at < ${before}
      order by created_at limit ${limit} for update skip locked
    ))`;
  return count;
}
