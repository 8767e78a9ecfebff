import type { Batch } from '../../../shared/sweep/batch.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { indexDays } from '../repository/days.ts';

/** Brings the indexes of the log up to date with this release. */
export async function updateIndexes({ sql }: Pick<AccessLogDependencies, 'sql'>): Promise<Batch> {
  await indexDays(sql);
  return { done: 0, more: false };
}
