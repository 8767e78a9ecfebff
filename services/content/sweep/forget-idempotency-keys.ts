import { forgetIdempotencyKeys } from '../../../shared/items/idempotency-keys.ts';
import { REPOST_HOURS } from '../../../shared/items/item.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { ContentDependencies } from '../dependencies.ts';

const LIMIT = 1_000;

/** Forgets which requests made which items, once a repeated one counts as new. */
export async function forgetOldIdempotencyKeys({ sql, clock }: ContentDependencies): Promise<Batch> {
  const done = await forgetIdempotencyKeys(sql, clock.now() - REPOST_HOURS * 3_600_000, LIMIT);
  return { done, more: done === LIMIT };
}
