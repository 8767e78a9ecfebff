import type { Scanning } from '../../../shared/scanning/scanning.ts';
import type { Pass } from '../../../shared/sweep/sweeper.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { carryOnRescan, createScanUpkeep, startScheduled } from './rescan.ts';
import { createScanLanes } from './scan-items.ts';

/** Waiting items are looked for so often, in ms. */
export const SCAN_INTERVAL_MS = 500;

const COUNT_EVERY_MS = 10_000;

/** The background work of looking through content: passes that share no sweeper, as each may go on for long. */
export const scanPasses = (deps: ContentDependencies, scanning: Scanning): Pass[][] => [
  [
    ['scan-upkeep', createScanUpkeep(deps, scanning, COUNT_EVERY_MS)],
    ['start-rescan', () => startScheduled(deps, scanning)],
    ['queue-rescan', () => carryOnRescan(deps, scanning)],
  ],
  ...createScanLanes(deps, scanning).map((lane): Pass[] => [['scan-items', lane]]),
];
