import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { createLimits } from '../../../services/gateway/admission/rate-limits.ts';
import { loadConfig } from '../../../shared/config.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import { contextWith } from './request-context.ts';

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
