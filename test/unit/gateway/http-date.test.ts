import { expect, test } from 'bun:test';
import { httpDate, parseHttpDate } from '../../../services/gateway/http/conditional.ts';

const AT = Date.UTC(1994, 10, 6, 8, 49, 37);
const NOW = Date.UTC(2026, 10, 23);

test.each([
  ['Sun, 06 Nov 1994 08:49:37 GMT', AT],
  ['Sunday, 06-Nov-94 08:49:37 GMT', AT],
  ['Sun Nov  6 08:49:37 1994', AT],
  ['Wed Nov 16 08:49:37 1994', Date.UTC(1994, 10, 16, 8, 49, 37)],
  ['Thu, 29 Feb 2024 23:59:59 GMT', Date.UTC(2024, 1, 29, 23, 59, 59)],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['Monday, 06-Nov-76 08:49:37 GMT', Date.UTC(2076, 10, 6, 8, 49, 37)],
  ['Sunday, 06-Nov-77 08:49:37 GMT', Date.UTC(1977, 10, 6, 8, 49, 37)],
])('%p is a date of HTTP', (text, ms) => {
  expect(parseHttpDate(text, NOW)).toBe(ms);
});

test.each([
  ['', 'yesterday', '0', '1', '2026', '2026-11-21T07:20:21Z', 'NaN'],
  ['Sun, 06 Nov 1994 08:49:37', 'Sun, 06 Nov 1994 08:49:37 UTC', 'Sun, 06 Nov 1994 08:49:37 +0100'],
  ['Sun, 6 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 94 08:49:37 GMT', '06 Nov 1994 08:49:37 GMT'],
  ['Sun, 31 Feb 1994 08:49:37 GMT', 'Sun, 00 Nov 1994 08:49:37 GMT', 'Sun, 06 Foo 1994 08:49:37 GMT'],
  ['Sun, 06 Nov 1994 24:00:00 GMT', 'Sun, 06 Nov 1994 08:60:00 GMT', 'Sun, 06 Nov 1994 08:49:60 GMT'],
  ['Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT', `Sun, ${'0'.repeat(60_000)}`],
  ['Sun Nov 06 08:49:37 94', 'Sunday, 31-Feb-94 08:49:37 GMT'],
])('%p and the like are none', (...texts) => {
  for (const text of texts as string[])
    expect([text.slice(0, 80), parseHttpDate(text, NOW)]).toEqual([text.slice(0, 80), null]);
});

test('what is written is read again, to the second', () => {
  for (const ms of [0, 1, 999, 1_000, AT, NOW + 999]) {
    expect(httpDate(ms)).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
    expect(parseHttpDate(httpDate(ms))).toBe(ms - (ms % 1_000));
  }
});
