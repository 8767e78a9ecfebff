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
  [`/ns/id/~%31${TICKET.slice(1)}/a`, '/ns/id/~***/a'],
  ['/ns/id/a;token=x/b', '/ns/id/a;token=***/b'],
  [
    '/api/kv/ns/id/https%3A%2F%2Fa.example%2F%3Ftoken%3Dx',
    '/api/kv/ns/id/https%3A%2F%2Fa.example%2F%3Ftoken%3D***',
  ],
  ['/api/kv/ns/id/%C3%BC=%20', '/api/kv/ns/id/%C3%BC=%20'],
])('of %s a log shows %s', (path, shown) => {
  expect(maskPath(path)).toBe(shown);
});

test.each([
  ['p=secret&raw=1', 'p=***&raw=1'],
  [`ticket=${TICKET}`, 'ticket=***'],
  ['token=own_x&%70=secret', 'token=***&%70=***'],
  ['q=p', 'q=p'],
  ['', ''],
  ['token', 'token'],
  ['token=', 'token=***'],
  ['raw=true&q=a+b%20c&tag=%C3%BC', 'raw=true&q=a+b%20c&tag=%C3%BC'],
  [
    'access_token=x&AccessToken=x&user[passWord]=x&x-SECRET-y=x',
    'access_token=***&AccessToken=***&user[passWord]=***&x-SECRET-y=***',
  ],
  ['page=1&top=2&ps=3&ticketing=4', 'page=1&top=2&ps=3&ticketing=4'],
  ['%2574oken=x&%25252574oken=x', '%2574oken=***&%25252574oken=***'],
  ['a=1;token=x;b=2', 'a=1;token=***;b=2'],
  ['a=token=x', 'a=token=***'],
  ['to=/b?token=x&c=1', 'to=/b?token=***&c=1'],
  ['to=%2Fb%3Fq%3D1%26token%3Dx%26c%3D2&d=3', 'to=%2Fb%3Fq%3D1%26token%3D***%26c%3D2&d=3'],
  [
    'to=https%3A%2F%2Fa.example%2F%3Fu%3D%252Fb%253Fapi_secret%253Dx',
    'to=https%3A%2F%2Fa.example%2F%3Fu%3D%252Fb%253Fapi_secret%253D***',
  ],
  ['to=%2F%23access_token%3Dx', 'to=%2F%23access_token%3D***'],
  ['to=https%3A%2F%2Fuser%3Ax%40a.example%2Fb', 'to=https%3A%2F%2F***%40a.example%2Fb'],
  ['%74oken%3Dx', 'token%3D***'],
  ['q=%ff%zz%&token=x', 'q=%ff%zz%&token=***'],
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
  ['https://a.example/b?to=%2Fc%3FresetToken%3Dsecret', 'https://a.example/b?to=%2Fc%3FresetToken%3D***'],
  ['#secret', ''],
  ['', ''],
  ['no address at all', 'no address at all'],
])('of the Referer %s a log shows %s', (referer, shown) => {
  expect(maskReferer(referer, 1_000)).toBe(shown);
});

test.each([
  ['https://user:secret@a.example/b?p=secret&q=1#part?q=2', 'https://a.example/b?p=***&q=1#part?q=2'],
  [`https://a.example/ns/id/~${TICKET}/b?token=secret#`, 'https://a.example/ns/id/~***/b?token=***#'],
  ['https://a.example/b#access_token=secret&q=1', 'https://a.example/b#access_token=***&q=1'],
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

test('an address in an address in an address is masked as deep as anybody looks, and wholly below', () => {
  let nested = 'https://a.example/?token=hidden';
  for (let depth = 1; depth <= 12; depth++) {
    nested = `https://a.example/?to=${encodeURIComponent(nested)}`;
    expect(maskReferer(nested, 100_000)).not.toContain('hidden');
  }
});

test('masking takes no longer than the text is long', () => {
  for (const text of [
    '%25'.repeat(300),
    'a=b='.repeat(250),
    '://'.repeat(300),
    '?;#&='.repeat(200),
    'x'.repeat(1_000),
  ])
    for (let n = 0; n < 200; n++) maskReferer(`https://a.example/?${text}`, 1_000);
});
