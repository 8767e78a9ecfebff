import { errors } from '../../../shared/errors.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { Query } from '../../../shared/items/sql.ts';

/** The answer to a change under an idempotency key. */
export interface ChangeAnswer {
  version: number;
  sequence: number;
  sizeBytes: number;
  updatedAt: number;
  number: number | null;
  created: boolean;
}

/** The idempotency key of a change; its record belongs to one store. */
export interface ChangeReceipt extends ItemRef {
  receipt: string;
  fingerprint: string;
}

/** The records of earlier changes under these idempotency keys. */
export async function findChangeReceipts(
  sql: Query,
  wanted: readonly ChangeReceipt[],
): Promise<Array<ChangeReceipt & { answer: ChangeAnswer }>> {
  const column = <K extends keyof ChangeReceipt>(name: K) => wanted.map((receipt) => receipt[name]);
  return await sql<Array<ChangeReceipt & { answer: ChangeAnswer }>>`
    select namespace, id, receipt, fingerprint, answer from kv_change_receipts
    where (namespace, id, receipt) in (select * from unnest(
      ${column('namespace')}::text[], ${column('id')}::text[], ${column('receipt')}::text[]
    ))`;
}

/** Breaks its primary key when another transaction has recorded one of them meanwhile. */
export async function insertChangeReceipts(
  sql: Query,
  made: ReadonlyArray<ChangeReceipt & { answer: ChangeAnswer }>,
  now: number,
): Promise<void> {
  const column = <K extends keyof ChangeReceipt>(name: K) => made.map((receipt) => receipt[name]);
  const answers = made.map(({ answer }) => JSON.stringify(answer));
  // In one order for all, so that two who record the same keys cannot wait for each other.
  await sql`
    insert into kv_change_receipts (namespace, id, receipt, fingerprint, answer, created_at)
    select namespace, id, receipt, fingerprint, answer::jsonb, ${now}::timestamptz
    from unnest(
      ${column('namespace')}::text[], ${column('id')}::text[], ${column('receipt')}::text[],
      ${column('fingerprint')}::text[], ${answers}::text[]
    ) as made (namespace, id, receipt, fingerprint, answer)
    order by namespace, id, receipt`;
}

/** @throws VALIDATION_FAILED when the idempotency key was used for another request */
export function assertSameRequest(earlier: ChangeReceipt, fingerprint: string): void {
  if (earlier.fingerprint !== fingerprint) throw errors.idempotencyKeyReused();
}

/** Forgets some records from before a moment. Returns how many. */
export async function forgetChangeReceipts(sql: Query, before: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from kv_change_receipts where (namespace, id, receipt) in (
      select namespace, id, receipt from kv_change_receipts where created_at < ${before}
      order by created_at limit ${limit} for update skip locked
    )`;
  return count;
}
