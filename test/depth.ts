import { ownEnvironment } from '../infra/environment.ts';

/** How much a run asks: `npm test`, `npm run test:full`, and `npm run test:night`, which has all there is. */
export const DEPTHS = ['short', 'full', 'night'] as const;
export type Depth = (typeof DEPTHS)[number];

/** The variable that tells test files the depth of their run. */
export const DEPTH_MARK = 'PERCH_TEST_DEPTH';

const depth = DEPTHS.find((known) => known === ownEnvironment()[DEPTH_MARK]) ?? 'short';

/** Whether a run of one depth has what belongs to another one. */
export const includes = (run: Depth, least: Depth): boolean => DEPTHS.indexOf(run) >= DEPTHS.indexOf(least);

/**
 * The value for this run's depth: what is repeated to find rare faults is repeated less in shorter runs.
 * @param night that of `npm run test:full` unless given
 */
export const atDepth = <T>(full: T, short: T, night: T = full): T => ({ short, full, night })[depth];
