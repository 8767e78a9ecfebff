import type { WindowRule, WindowState } from '../../ports/cache.ts';
import { createMemoryWindows, type Windows } from './memory-windows.ts';
import { ordinal, type RedisCommands } from './redis-commands.ts';
import { isFull } from './redis-full.ts';

/** Rate-limit windows in Redis; while it is away or full, hits count in this process's memory. */
export function createRedisWindows(summing: RedisCommands['summing'], onFull: () => void): Windows {
  const hits = summing<[number, number]>('hitWindow', (subject, amount) => ({
    keys: [`window:${subject}`],
    args: [amount, Number.parseInt(subject, 10)],
  }));
  const ownWindows = createMemoryWindows();
  const askWindow = (rule: WindowRule, key: string, amount: number) =>
    hits(`${rule.seconds}:${rule.name}:${key}`, amount);
  const windowState = async (rule: WindowRule, key: string, amount: number): Promise<WindowState> => {
    const outcome = await askWindow(rule, key, amount);
    return { hits: ordinal(outcome, outcome.result[0]), resetMs: outcome.result[1] };
  };

  return {
    hit: (rule, key, times = 1) =>
      windowState(rule, key, times).catch((error: unknown) => {
        if (isFull(error)) onFull();
        return ownWindows.hit(rule, key, times);
      }),
    async giveBack(rule, key) {
      const left = await askWindow(rule, key, -1).catch(() => null);
      // Redis has not counted this request, so this process did.
      if (left === null || left.result[0] < 0) await ownWindows.giveBack(rule, key);
    },
    async peek(rule, key) {
      const asked = windowState(rule, key, 0).catch(() => null);
      const [shared, own] = await Promise.all([asked, ownWindows.peek(rule, key)]);
      // A full Redis answers this, but has not counted the last hits.
      return shared === null || shared.hits < own.hits ? own : shared;
    },
  };
}
