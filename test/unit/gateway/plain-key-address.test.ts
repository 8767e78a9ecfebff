import { expect, test } from 'bun:test';
import { plainKeyAddress } from '../../../services/gateway/kinds/kv/key.ts';

test('a path that needs no decoding is taken apart as the router does it', () => {
  expect(plainKeyAddress('/api/kv/public/store/a key+1')).toEqual({
    ns: 'public',
    id: 'store',
    key: 'a key+1',
  });
});

test.each([
  '/api/kv/public/store/',
  '/api/kv/public/store',
  '/api/kv/public/store/key/',
  '/api/kv/public/store/key/more',
  '/api/kv//store/key',
  '/api/kv/public/store/%6bey',
  '/api/kv/publi%63/store/key',
  '/api/json/public/store/key',
  '/x/api/kv/public/store/key',
  '/public/store/key',
])('%s is left to the router', (path) => {
  expect(plainKeyAddress(path)).toBeNull();
});
