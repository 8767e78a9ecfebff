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

/** A change under an idempotency key, which counts within one store. In the database the key is called a receipt. */
export interface IdempotentChange extends ItemRef {
  idempotencyKey: string;
  fingerprint: string;
}

/** The records of earlier changes under these idempotency keys. */
export async function findIdempotencyKeys(
  sql: Query,
  wanted: readonly IdempotentChange[],
): Promise<Array<IdempotentChange & { answer: ChangeAnswer }>> {
  const column = <K extends keyof IdempotentChange>(name: K) => wanted.map((change) => change[name]);
  return await sql<Array<IdempotentChange & { answer: ChangeAnswer }>>`
    select namespace, id, receipt as "idempotencyKey", fingerprint, answer from kv_change_receipts
    where (namespace, id, receipt) in (select * from unnest(
      ${column('namespace')}::text[], ${column('id')}::text[], ${column('idempotencyKey')}::text[]
    ))`;
}

/** Breaks its primary key when another transaction has recorded one of them meanwhile. */
export async function insertIdempotencyKeys(
  sql: Query,
  made: ReadonlyArray<IdempotentChange & { answer: ChangeAnswer }>,
  now: number,
): Promise<void> {
  const column = <K extends keyof IdempotentChange>(name: K) => made.map((change) => change[name]);
  const answers = made.map(({ answer }) => JSON.stringify(answer));
  // In one order for all, so that two who record the same keys cannot wait for each other.
  await sql`
    insert into kv_change_receipts (namespace, id, receipt, fingerprint, answer, created_at)
    select namespace, id, receipt, fingerprint, answer::jsonb, ${now}::timestamptz
    from unnest(
      ${column('namespace')}::text[], ${column('id')}::text[], ${column('idempotencyKey')}::text[],
      ${column('fingerprint')}::text[], ${answers}::text[]
    ) as made (namespace, id, receipt, fingerprint, answer)
    order by namespace, id, receipt`;
}

/** Forgets some records from before a moment. Returns how many. */
export async function forgetIdempotencyKeys(sql: Query, before: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from kv_change_receipts where (namespace, id, receipt) in (
      select namespace, id, receipt from kv_change_receipts where created_at < ${before}
      order by created_at limit ${limit} for update skip locked
    )`;
  return count;
}
