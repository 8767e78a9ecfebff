import { describe, expect, test } from 'bun:test';
import { validateExchange } from './validator.ts';

const ALWAYS = {
  'X-Request-Id': 'V1StGXR8_Z5jdHi6',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag',
};
const REPORT = { reportId: 'V1StGXR8_Z5jdHi6', receivedAt: '2026-11-21T07:20:21.000Z' };
const NOT_FOUND = {
  status: 404,
  code: 'NOT_FOUND',
  error: 'Not Found',
  message: 'There is nothing here.',
  timestamp: '2026-11-21T07:20:21.000Z',
  requestId: 'V1StGXR8_Z5jdHi6',
};

interface Told {
  method?: string;
  path?: string;
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A documented answer to a report, but for what is told otherwise. */
function answer({
  method = 'POST',
  path = '/api/reports',
  status = 201,
  headers = {},
  body = REPORT,
}: Told = {}) {
  const sent = new Headers({ ...ALWAYS, 'Content-Type': 'application/json', ...headers });
  for (const [name, value] of Object.entries(headers)) if (value === '') sent.delete(name);
  return validateExchange({ method, path, status, headers: sent, body: JSON.stringify(body) });
}

const failed = { status: 404, headers: { 'Cache-Control': 'no-store' }, body: NOT_FOUND };

describe('what is documented passes', () => {
  test('an answer', () => expect(answer()).toBe(null));
  test('with optional headers', () =>
    expect(
      answer({
        headers: { 'RateLimit-Limit': '60', 'RateLimit-Remaining': '59', 'RateLimit-Reset': '3600' },
      }),
    ).toBe(null));
  test('an address with a query and a slash at its end', () =>
    expect(answer({ path: '/api/reports/?a=b' })).toBe(null));
  test('an unknown address that is not found', () => {
    for (const path of ['/nothing', '/api/nothing', '/docs/nothing', '/ab/page', '/%zz'])
      expect(answer({ ...failed, method: 'PATCH', path })).toBe(null);
  });
  test('a method that is not possible', () => {
    const body = { ...NOT_FOUND, status: 405, code: 'METHOD_NOT_ALLOWED' };
    const headers = { ...failed.headers, Allow: 'POST, OPTIONS' };
    expect(answer({ method: 'DELETE', status: 405, headers, body })).toBe(null);
  });
});

const faults: Array<[what: string, told: Told, fault: string]> = [
  ['an address', { path: '/api/nothing' }, 'the address is not documented'],
  ['an address below a reserved name', { path: '/gallery/page' }, 'the address is not documented'],
  ['a method', { method: 'DELETE', status: 204 }, 'the method is not documented'],
  ['a status', { status: 202 }, 'the status is not documented'],
  ['a content type', { headers: { 'Content-Type': 'text/csv' } }, 'content type "text/csv"'],
  ['a missing content type', { headers: { 'Content-Type': '' } }, 'content type ""'],
  ['a header', { headers: { 'X-Powered-By': 'magic' } }, 'header x-powered-by is not documented'],
  ['a missing header', { headers: { 'X-Request-Id': '' } }, 'header X-Request-Id is missing'],
  ['a header that is no number', { headers: { 'RateLimit-Limit': 'many' } }, 'header RateLimit-Limit'],
  ['a missing field', { body: { reportId: REPORT.reportId } }, "required property 'receivedAt'"],
  ['a mistyped field', { body: { ...REPORT, reportId: 7 } }, 'reportId must be string'],
  ['a malformed time', { body: { ...REPORT, receivedAt: 'today' } }, 'must match format "date-time"'],
  ['a field', { body: { ...REPORT, more: 1 } }, 'additional properties'],
  ['an error with a success status', { body: NOT_FOUND }, 'additional properties'],
  [
    'an error of another status',
    { ...failed, path: '/nothing', body: { ...NOT_FOUND, status: 400 } },
    'status',
  ],
  ['a code', { ...failed, path: '/nothing', body: { ...NOT_FOUND, code: 'ODD' } }, 'code'],
  ['a body of a HEAD', { ...failed, method: 'HEAD', path: '/s/abcdefg' }, 'there is a body'],
];

describe('what is not documented is told', () => {
  test.each(faults)('%s', (_, told, fault) => {
    expect(answer(told)).toContain(fault);
  });
  test('a body that is not JSON', () => {
    const headers = new Headers({ ...ALWAYS, 'Content-Type': 'application/json' });
    const exchange = { method: 'POST', path: '/api/reports', status: 201, headers };
    expect(validateExchange({ ...exchange, body: '{' })).toContain('not JSON');
  });
});
