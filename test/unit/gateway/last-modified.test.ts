import { expect, test } from 'bun:test';
import {
  datedFrom,
  datedUntil,
  dateKept,
  httpDate,
  isUnmodified,
  lastModified,
  unlessUnmodified,
} from '../../../services/gateway/http/conditional.ts';

const SECOND = Date.UTC(2026, 10, 21, 7, 20, 21);
const DATE = 'Sat, 21 Nov 2026 07:20:21 GMT';

test.each([0, 1, 500, 999])(
  'a change %p ms after its second began is told one second after that second',
  (ms) => {
    const at = SECOND + ms;
    for (const now of [at, SECOND + 999, SECOND + 1_000, SECOND + 1_999]) {
      expect(lastModified(at, now)).toEqual({});
      expect(datedUntil(at, now)).toBe(SECOND + 2_000);
    }
    for (const now of [SECOND + 2_000, SECOND + 86_400_000]) {
      expect(lastModified(at, now)).toEqual({ 'Last-Modified': DATE });
      expect(datedUntil(at, now)).toBe(Number.POSITIVE_INFINITY);
    }
    expect(datedFrom(at)).toBe(SECOND + 2_000);
  },
);

test('changes of one second, and what a clock one second behind makes later, never share a date', () => {
  for (const [first, second] of [
    [SECOND, SECOND + 999],
    [SECOND + 999, SECOND + 1_000],
  ] as const) {
    const told = datedFrom(first);
    // A change after the date was told has at least this time, by a clock that is a second behind.
    expect(lastModified(Math.max(second, told - 1_000), told + 10_000)).not.toEqual(
      lastModified(first, told),
    );
  }
});

test('kept headers get the date once it can be told, and keep it', () => {
  const headers = new Headers();
  dateKept(headers, SECOND, SECOND + 1_999);
  expect(headers.has('Last-Modified')).toBe(false);
  for (const now of [SECOND + 2_000, SECOND]) {
    dateKept(headers, SECOND, now);
    expect(headers.get('Last-Modified')).toBe(DATE);
  }
});

test.each<[since: string | null, unmodified: boolean]>([
  [DATE, true],
  ['Saturday, 21-Nov-26 07:20:21 GMT', true],
  ['Sat Nov 21 07:20:21 2026', true],
  [httpDate(SECOND + 1_000), true],
  [httpDate(SECOND + 1e12), true],
  [httpDate(SECOND - 1_000), false],
  ['Thu, 01 Jan 1970 00:00:00 GMT', false],
  [null, false],
  ['', false],
  ['tomorrow', false],
  ['2027-01-01', false],
  [`${DATE}, ${DATE}`, false],
])('If-Modified-Since %p is met: %p', (since, unmodified) => {
  const headers = new Headers(since === null ? {} : { 'If-Modified-Since': since });
  expect(isUnmodified(headers, DATE)).toBe(unmodified);
  for (const none of [null, undefined]) expect(isUnmodified(headers, none)).toBe(false);
  headers.set('If-None-Match', '"another"');
  expect(isUnmodified(headers, DATE)).toBe(false);
});

test.each([
  [200, 'GET', 304],
  [404, 'GET', 404],
  [206, 'GET', 206],
  [200, 'POST', 200],
])('an answer of %p to a %s becomes %p', async (status, method, expected) => {
  const request = new Request('http://perch', { method, headers: { 'If-Modified-Since': DATE } });
  const headers = { 'Last-Modified': DATE, ETag: '"a-zstd"', 'Content-Encoding': 'zstd', 'X-Views': '3' };
  const answer = unlessUnmodified(request, new Response('text', { status, headers }));
  expect(answer.status).toBe(expected);
  expect([answer.headers.get('ETag'), answer.headers.get('X-Views')]).toEqual(['"a-zstd"', '3']);
  expect(answer.headers.has('Content-Encoding')).toBe(expected !== 304);
  expect(await answer.text()).toBe(expected === 304 ? '' : 'text');
});
