import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { WindowRule, WindowState } from '../ports/cache.ts';

/** Rate-limit windows in this process's memory: the embedded mode's, and the stand-in while Redis is away. */
export interface MemoryWindows {
  hit(rule: WindowRule, key: string, amount: number): Promise<WindowState>;
  peek(rule: WindowRule, key: string): Promise<WindowState>;
}

export function createMemoryWindows(): MemoryWindows {
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

  return {
    async hit(rule, key, amount) {
      const { consumedPoints, msBeforeNext } = await limiterOf(rule).consume(key, amount);
      return { hits: consumedPoints, resetMs: msBeforeNext };
    },
    async peek(rule, key) {
      const state = await limiterOf(rule).get(key);
      if (state === null) return { hits: 0, resetMs: rule.seconds * 1000 };
      return { hits: state.consumedPoints, resetMs: state.msBeforeNext };
    },
  };
}
