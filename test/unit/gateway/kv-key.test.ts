import { expect, test } from 'bun:test';
import { isKey } from '../../../services/gateway/kinds/kv/key.ts';
import { keyAddress } from '../../../services/gateway/kinds/kv/serializer.ts';

const KEYS = [
  'a',
  ' ',
  'a b',
  '%',
  '%2F',
  '?#',
  '...',
  '.a',
  'ключ',
  '😀'.repeat(256),
  'x'.repeat(256),
  '\\',
  '~',
  '"<>&',
];

test('keys that can be, each with an address that leads back to it', () => {
  for (const key of KEYS) {
    expect(isKey(key)).toBe(true);
    const { pathname } = new URL(`http://localhost${keyAddress({ namespace: 'ns', id: 'id' }, key)}`);
    expect(decodeURIComponent(pathname.slice('/ns/id/'.length))).toBe(key);
  }
});

test('keys that cannot be', () => {
  for (const key of [
    '',
    '.',
    '..',
    'a/b',
    '/',
    'x'.repeat(257),
    '😀'.repeat(257),
    'a\0',
    'a\n',
    '\u007f',
    '\u0085',
    '\ud800',
  ]) {
    expect(isKey(key)).toBe(false);
  }
});
