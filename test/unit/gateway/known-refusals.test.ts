import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { createLimits } from '../../../services/gateway/admission/rate-limits.ts';
import { loadConfig } from '../../../shared/config.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import { contextWith, readLeftByFastPath } from './request-context.ts';

const WINDOW_MS = 100;

afterEach(() => void setSystemTime());

test('a client is refused until its window ends, though the clock is set back meanwhile', async () => {
  const cache = {
    hit: async () => ({ hits: 1_000_000, resetMs: WINDOW_MS }),
  } as unknown as Cache;
  const limits = createLimits(loadConfig({}), cache, { admit: async () => undefined });
  const context = contextWith(null);
  await expect(limits.admit(context, 'reads')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  setSystemTime(Date.now() - 3_600_000);
  // The test times out where this goes on for as long as the step.
  while (limits.refuses(context.clientKey, 'reads')) await Bun.sleep(10);
  expect(() => limits.refuseKnown(context, 'reads')).not.toThrow();
});

test('a read that the fast path has counted is not refused for those after it, nor counted again', async () => {
  let counted = 0;
  const cache = {
    async hit() {
      counted += 1;
      return { hits: 1_000_000, resetMs: 60_000 };
    },
  } as unknown as Cache;
  const limits = createLimits(loadConfig({}), cache, { admit: async () => undefined });
  await expect(limits.admit(contextWith(null), 'reads')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  const inTime = readLeftByFastPath({ window: { hits: 1, resetMs: 60_000 } });
  limits.refuseKnown(inTime, 'reads');
  await limits.admit(inTime, 'reads');
  const late = readLeftByFastPath({ window: { hits: 1_000_001, resetMs: 60_000 } });
  await expect(limits.admit(late, 'reads')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(counted).toBe(1);
});
