import type { Batch } from '../../../shared/sweep/batch.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { forgetBatches } from '../repository/batches.ts';
import { DAY_MS } from '../utc-days.ts';

const LIMIT = 5_000;

/** How long the ids of written batches are kept: longer than the event stream keeps a batch, which is two days. */
const KEPT_MS = 3 * DAY_MS;

/** Forgets which batches were written, once they cannot arrive again. */
export async function forgetOldBatches({ sql, clock }: AccessLogDependencies): Promise<Batch> {
  const done = await forgetBatches(sql, clock.now() - KEPT_MS, LIMIT);
  return { done, more: done === LIMIT };
}
