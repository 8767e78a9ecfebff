import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { WindowRule, WindowState } from '../../ports/cache.ts';

/** The rate-limit windows of a cache. */
export interface Windows {
  hit(rule: WindowRule, key: string, times?: number): Promise<WindowState>;
  /** Takes back one hit, if the window has any. */
  giveBack(rule: WindowRule, key: string): Promise<void>;
  peek(rule: WindowRule, key: string): Promise<WindowState>;
}

/** Windows in this process's memory: the embedded mode's, and the stand-in while Redis is away. */
export function createMemoryWindows(): Windows {
  const limiters = new Map<string, RateLimiterMemory>();

  const limiterOf = (rule: WindowRule): RateLimiterMemory => {
    const name = `${rule.name}/${rule.seconds}`;
    const known = limiters.get(name);
    if (known !== undefined) return known;
    // The caller compares with its limit: here every hit counts, also those above it.
    const limiter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: rule.seconds });
    limiters.set(name, limiter);
    return limiter;
  };

  const peek = async (rule: WindowRule, key: string): Promise<WindowState> => {
    const state = await limiterOf(rule).get(key);
    if (state === null) return { hits: 0, resetMs: rule.seconds * 1000 };
    return { hits: state.consumedPoints, resetMs: state.msBeforeNext };
  };

  return {
    async hit(rule, key, times = 1) {
      const { consumedPoints, msBeforeNext } = await limiterOf(rule).consume(key, times);
      return { hits: consumedPoints, resetMs: msBeforeNext };
    },
    async giveBack(rule, key) {
      const { hits } = await peek(rule, key);
      if (hits > 0) await limiterOf(rule).reward(key);
    },
    peek,
  };
}
