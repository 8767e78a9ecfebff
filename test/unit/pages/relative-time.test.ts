import { expect, test } from 'bun:test';
import { relativeTimeTag } from '../../../shared/pages/format.ts';
import { relativeTime } from '../../../shared/wording/relative-time.ts';

const NOW = new Date('2026-11-21T07:20:21.000Z');
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

test.each([
  [0, 'just now'],
  [-59 * SECOND, 'just now'],
  [-MINUTE, '1 minute ago'],
  [-HOUR + 1, '60 minutes ago'],
  [-HOUR, '1 hour ago'],
  [-3 * HOUR, '3 hours ago'],
  [-DAY, '1 day ago'],
  [-40 * DAY, '40 days ago'],
  [SECOND, 'in a moment'],
  [2 * MINUTE, 'in 2 minutes'],
  [23 * HOUR, 'in 23 hours'],
  [15 * DAY - SECOND, 'in 15 days'],
])('%d ms from now is %s', (distance, expected) => {
  expect(relativeTime(new Date(NOW.getTime() + distance), NOW)).toBe(expected);
});

test('a tag has the instant as well', () => {
  expect(relativeTimeTag(new Date(NOW.getTime() + DAY), NOW).toString()).toBe(
    '<time datetime="2026-11-22T07:20:21.000Z" title="22 Nov 2026, 07:20 UTC">in 1 day</time>',
  );
});
