import type { Clock } from './clock.ts';
import { steadyNow } from './deadline.ts';

/**
 * A clock that is never set back, to tell how long something has taken. Its time follows `clock`; while that one is behind,
 * because the machine's clock was set back, it goes on by steady time. Steady time alone would stand still while the
 * machine sleeps. Its moments mean nothing in another process.
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
