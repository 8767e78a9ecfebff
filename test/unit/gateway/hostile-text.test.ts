import { expect, test } from 'bun:test';
import { collectIssues } from '../../../services/gateway/http/validation-issues.ts';
import { pageMediaType } from '../../../services/gateway/kinds/html/body.ts';
import { parseTtlDays } from '../../../services/gateway/uploads/create-parameters.ts';
import { isLongerThan } from '../../../shared/wording/line.ts';

/** With patterns that backtrack, each of these takes minutes to years: the test's own time limit would end it. */
const MANY = 100_000;

test('a Content-Type full of spaces is told apart at once', () => {
  const spaces = ' '.repeat(MANY);
  expect(pageMediaType(`text/html;${spaces}charset${spaces}=${spaces}"UTF-8"${spaces}`).format).toBe('HTML');
  expect(() => pageMediaType(`text/html;charset=${spaces}"x"y`)).toThrow('is not supported');
});

test.each(['text/html; charset=utf-8', 'text/html;charset="UTF-8"', 'text/html; charset=', 'text/html; a=b'])(
  '%s is a page',
  (header) => {
    expect(pageMediaType(header).format).toBe('HTML');
  },
);

test.each(['', ';'])('%p names no type: the body is a text or refused', (header) => {
  expect(pageMediaType(header)).toMatchObject({ body: 'binary', contentType: 'text/plain; charset=utf-8' });
});

test.each(['constructor', '__proto__', 'toString', 'text/html; charset=latin1'])(
  '%p is no page',
  (header) => {
    expect(() => pageMediaType(header)).toThrow(/send/i);
  },
);

test.each([
  [7, 7],
  ['7', 7],
  [' 30 DAYS ', 30],
  ['1day', 1],
  ['2 d', 2],
  [`3${' '.repeat(MANY)}`, 3],
  [`3${' '.repeat(MANY)}x`, null],
  ['d', null],
  ['7 x', null],
  ['1.5', null],
  [{}, null],
])('a time to live %#', (value, days) => {
  const issues = collectIssues();
  const parsed = parseTtlDays(value, issues, false);
  if (days === null) expect(() => issues.throwIfAny()).toThrow('ttl');
  else expect(parsed).toBe(days);
});

test('a length counts characters, not code units', () => {
  expect(isLongerThan('🐦'.repeat(200), 200)).toBe(false);
  expect(isLongerThan('🐦'.repeat(201), 200)).toBe(true);
  expect(isLongerThan('x'.repeat(201), 200)).toBe(true);
  expect(isLongerThan('', 0)).toBe(false);
});
