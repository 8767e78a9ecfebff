import { expect, test } from 'bun:test';
import { loadConfig } from '../../shared/config.ts';

test.each([
  [undefined, 0],
  ['0', 0],
  ['1', 1_000],
  ['300', 300_000],
])('DRAIN_SECONDS=%p is %d ms', (text, ms) => {
  expect(loadConfig({ DRAIN_SECONDS: text }).drainMs).toBe(ms);
});

test.each(['-1', '301'])('DRAIN_SECONDS=%s is refused', (text) => {
  expect(() => loadConfig({ DRAIN_SECONDS: text })).toThrow('a whole number from 0 to 300');
});
