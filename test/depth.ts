import { ownEnvironment } from '../infra/environment.ts';

/** The variable that asks for tests in full: `npm run test:full` sets it. */
export const FULL_MARK = 'PERCH_TEST_FULL';

const isFull = ownEnvironment()[FULL_MARK] === '1';

/** `full` in `npm run test:full`, else `short`: what is repeated to find rare faults is repeated less in `npm test`. */
export const atDepth = <T>(full: T, short: T): T => (isFull ? full : short);
