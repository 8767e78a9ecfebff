import { expect, test } from 'bun:test';
import { createRateHeaders } from '../../../services/gateway/hot-reads/rate-headers.ts';

test('each answer has its own rate limit, whatever the answers before it had', () => {
  const headers = new Headers({ 'RateLimit-Remaining': '5', 'RateLimit-Reset': '60' });
  const set = createRateHeaders(headers);
  const told = (hits: number, resetMs: number): Array<string | null> => {
    set(100, { hits, resetMs });
    return [headers.get('RateLimit-Remaining'), headers.get('RateLimit-Reset')];
  };
  expect(told(1, 59_000)).toEqual(['99', '59']);
  expect(told(2, 58_001)).toEqual(['98', '59']);
  expect(told(3, 58_000)).toEqual(['97', '58']);
  // Another client, whose window began later.
  expect(told(1, 60_000)).toEqual(['99', '60']);
  expect(told(4, 57_999)).toEqual(['96', '58']);
  expect(told(100, 0)).toEqual(['0', '1']);
});
