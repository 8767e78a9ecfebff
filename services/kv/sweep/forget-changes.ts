import { REPOST_HOURS } from '../../../shared/items/item.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { KvDependencies } from '../dependencies.ts';
import { forgetIdempotencyKeys } from '../repository/idempotency-keys.ts';

const LIMIT = 1_000;

/** Forgets what changes under idempotency keys were answered with, once a repeated one counts as new. */
export async function forgetChanges({ sql, clock }: Pick<KvDependencies, 'sql' | 'clock'>): Promise<Batch> {
  const done = await forgetIdempotencyKeys(sql, clock.now() - REPOST_HOURS * 3_600_000, LIMIT);
  return { done, more: done === LIMIT };
}
