import type { Pass } from '../../../shared/sweep/sweeper.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import { foldTotals } from './fold-deltas.ts';
import { snapshotViews } from './snapshot-views.ts';

/** With the time the cache takes to tell of them, views are saved ten seconds after they were counted at the latest. */
export const TOTALS_INTERVAL_MS = 3_000;

/** The background work on view counters and totals, which runs more often than the sweeps. */
export const totalsPasses = (deps: AnalyticsDependencies): Pass[] => [
  ['snapshot-views', () => snapshotViews(deps)],
  ['fold-deltas', () => foldTotals(deps)],
];
