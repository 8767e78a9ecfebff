import { expect, test } from 'bun:test';
import { destinationAddress, destinationIn } from '../../../services/gateway/auth/unlock-form.ts';

const ITEM = { namespace: 'public', id: 'page' };

test.each([
  ['', '/public/page'],
  ['?', '/public/page'],
  ['?raw=true', '/public/page?raw=true'],
  ['chapter/3%20b.html', '/public/page/chapter/3%20b.html'],
  ['a.html?room=5&x=%23#', '/public/page/a.html'],
  ['a.html?room=5&to=/../..\\', '/public/page/a.html?room=5&to=/../..\\'],
  ['?q=caf%C3%A9&at=12:30', '/public/page?q=caf%C3%A9&at=12:30'],
  ['.hidden/..a/b..', '/public/page/.hidden/..a/b..'],
])('%j leads to %s', (to, address) => {
  expect(destinationAddress(ITEM, to)).toBe(address);
});

test.each([
  ['?p=secret', ''],
  ['?p', ''],
  ['??p=secret', ''],
  ['?%70=secret&raw=true', '?raw=true'],
  ['?raw=true&password=secret', '?raw=true'],
  ['?token=own_x&room=5&ticket=1.x&TOKEN=y', '?room=5'],
  ['a.html?p=secret', 'a.html'],
  ['?page=2&tokens=3', '?page=2&tokens=3'],
])('of %j what would open the item is left out', (to, destination) => {
  expect(destinationIn(to)).toBe(destination);
});

const HOSTILE = [
  ...['..', '../other', './../../admin', '%2e%2e/other', 'a/%2E./b', '..?x=1', '../../..//evil.example'],
  ...[
    'a#b',
    '#',
    '..#x',
    'a\\..\\b',
    '\\\\evil.example',
    'a b',
    'a\r\nSet-Cookie: x=1',
    'a\u0000',
    'ä',
    '\u202e',
  ],
  'a'.repeat(2001),
];
test.each(HOSTILE)('%j is no destination', (to) => {
  expect(destinationAddress(ITEM, to)).toBe('/public/page');
});

test.each([
  ...[
    '/evil.example',
    '//evil.example/',
    'https://evil.example',
    '@evil.example',
    ':80',
    'javascript:alert(1)',
  ],
  ...['?//evil.example', '?https://evil.example', '?@evil.example'],
])('%j stays below the item', (to) => {
  const { origin, pathname } = new URL(destinationAddress(ITEM, to), 'https://perch.example');
  expect(origin).toBe('https://perch.example');
  expect(pathname).toMatch(/^\/public\/page(?:\/|$)/);
});

test('a query that is too long or no query is dropped, and the path stays', () => {
  for (const query of ['x'.repeat(2_000), 'a b', 'ä', 'a\nb', '#'])
    expect(destinationIn(`a.html?${query}`)).toBe('a.html');
  expect(destinationIn(`a?${'x'.repeat(1_998)}`)).toHaveLength(2_000);
});
