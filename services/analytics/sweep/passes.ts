import type { Pass } from '../../../shared/sweep/sweeper.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { dropOldDays } from './drop-old-days.ts';
import { forgetOldBatches } from './forget-batches.ts';
import { forgetItemViews } from './forget-item-views.ts';
import { updateIndexes } from './index-days.ts';
import { prepareDays } from './prepare-days.ts';
import { createRankingTrim } from './trim-rankings.ts';

/** The background work on the access log. */
export const accessLogPasses = (deps: AccessLogDependencies): Pass[] => [
  ['prepare-access-days', () => prepareDays(deps)],
  ['index-access-days', () => updateIndexes(deps)],
  ['drop-access-days', () => dropOldDays(deps)],
  ['trim-access-rankings', createRankingTrim(deps)],
  ['forget-access-batches', () => forgetOldBatches(deps)],
  ['forget-item-views', () => forgetItemViews(deps)],
];
