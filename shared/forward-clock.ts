import type { Clock } from './clock.ts';
import { steadyNow } from './deadline.ts';

/**
 * A clock that never goes back, to tell how long something has taken at the least: it goes on by steady time while `clock` is
 * behind, as the machine's has been set back, and follows `clock` else, as steady time stands still while the machine sleeps.
 * Its moments mean nothing in another process.
 */
export function createForwardClock(clock: Clock, steady: () => number = steadyNow): Clock {
  let last = clock.now();
  let steadyThen = steady();
  return {
    now() {
      const steadyBefore = steadyThen;
      steadyThen = steady();
      last = Math.max(clock.now(), last + steadyThen - steadyBefore);
      return last;
    },
  };
}
