import { expect, test } from 'bun:test';
import { longestUploadMs } from '../../clients/js/src/stall-timer.ts';

test.each([
  [0, 60_000],
  [16_383, 60_000],
  [16_384, 75_000],
  [1_048_576, 1_020_000],
  [5_000_000, 1_860_000],
  [null, 1_860_000],
])('an upload of %p bytes may take %d ms', (bytes, ms) => {
  expect(longestUploadMs(60_000, bytes)).toBe(ms);
});
