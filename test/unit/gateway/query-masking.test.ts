import { expect, test } from 'bun:test';
import { maskPath, maskQuery } from '../../../services/gateway/http/query-masking.ts';

const TICKET = `1795000000.${'x'.repeat(43)}`;

test.each([
  [`/ns/id/~${TICKET}/css/a.css`, '/ns/id/~***/css/a.css'],
  [`/ns/id/~${TICKET}`, '/ns/id/~***'],
  [`/ns/id/%7E${TICKET}/a`, '/ns/id/~***/a'],
  [`/ns/id/~${TICKET}x/a`, '/ns/id/~***/a'],
  ['/ns/id/~user/a', '/ns/id/~user/a'],
  ['/ns/id/a~1.b/c', '/ns/id/a~1.b/c'],
])('of %s a log shows %s', (path, shown) => {
  expect(maskPath(path)).toBe(shown);
});

test.each([
  ['p=secret&raw=1', 'p=***&raw=1'],
  [`ticket=${TICKET}`, 'ticket=***'],
  ['token=own_x&%70=secret', 'token=***&%70=***'],
  ['q=p', 'q=p'],
])('of the query %s a log shows %s', (query, shown) => {
  expect(maskQuery(query)).toBe(shown);
});
