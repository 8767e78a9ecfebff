import { expect, test } from 'bun:test';
import {
  maskAddress,
  maskPath,
  maskQuery,
  maskReferer,
} from '../../../services/gateway/http/query-masking.ts';

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

test.each([
  ['https://a.example/b?q=1', 'https://a.example/b?q=1'],
  ['https://a.example/b?p=secret&q=1#token=secret', 'https://a.example/b?p=***&q=1'],
  ['https://user:secret@a.example/b', 'https://a.example/b'],
  ['HTTPS://us@er:secret@a.example?TOKEN=secret', 'HTTPS://a.example?TOKEN=***'],
  ['//user:secret@a.example/', '//a.example/'],
  ['https:user:secret@a.example', 'https:a.example'],
  ['https://a.example/@someone/b@c', 'https://a.example/@someone/b@c'],
  [`https://a.example/ns/id/~${TICKET}/b?ticket=${TICKET}`, 'https://a.example/ns/id/~***/b?ticket=***'],
  ['/b?password=secret', '/b?password=***'],
  ['#secret', ''],
  ['', ''],
  ['no address at all', 'no address at all'],
])('of the Referer %s a log shows %s', (referer, shown) => {
  expect(maskReferer(referer, 1_000)).toBe(shown);
});

test.each([
  ['https://user:secret@a.example/b?p=secret&q=1#part?q=2', 'https://a.example/b?p=***&q=1#part?q=2'],
  [`https://a.example/ns/id/~${TICKET}/b?token=secret#`, 'https://a.example/ns/id/~***/b?token=***#'],
  ['https://a.example/b', 'https://a.example/b'],
])('of the address %s is kept %s', (address, kept) => {
  expect(maskAddress(address)).toBe(kept);
});

test('an address is kept as long as it is', () => {
  const address = `https://a.example/${'x'.repeat(3_000)}`;
  expect(maskAddress(address)).toBe(address);
});

test.each([
  [999, 999],
  [1_000, 1_000],
  [1_001, 1_000],
])('of a Referer of %d characters a log shows %d', (length, shown) => {
  expect(maskReferer('https://a.example/'.padEnd(length, 'x'), 1_000)).toHaveLength(shown);
});

test('a Referer is cut after its userinfo is gone, and what is cut within a secret shows none of it', () => {
  const userinfo = `https://user:${'s'.repeat(2_000)}@a.example/`;
  expect(maskReferer(userinfo, 20)).toBe('https://a.example/');
  expect(maskReferer('https://a.example/?token=secret', 26)).toBe('https://a.example/?token=***');
});
