import { expect, test } from 'bun:test';
import { createAddressTable } from '../../../services/gateway/http/address-table.ts';

const table = createAddressTable(
  [
    { method: 'GET', path: '/', surface: 'page' },
    { method: 'PUT', path: '/', surface: 'upload' },
    { method: 'PUT', path: '/:filename', surface: 'upload' },
    { method: 'GET', path: '/api/stats', surface: 'api' },
    { method: 'POST', path: '/api/kv/', surface: 'api' },
    { method: 'GET', path: '/api/kv/:ns/:id', surface: 'api' },
    { method: 'DELETE', path: '/api/kv/:ns/:id', surface: 'api' },
    { method: 'DELETE', path: '/api/kv/:ns/:id/:key', surface: 'api' },
  ],
  (name) => name !== 'docs',
);

test.each([
  ['GET', '/', 'page'],
  ['HEAD', '/', 'page'],
  // A program that puts a file reads no page, whatever it says to prefer.
  ['PUT', '/', 'upload'],
  ['PUT', '/report.html', 'upload'],
  ['PUT', '/%', 'upload'],
  ['PUT', '/%ff.html/', 'upload'],
  ['PUT', '/a/%', 'link'],
  ['GET', '/%', 'link'],
  ['GET', '/report.html', 'link'],
  ['PUT', '/docs', 'link'],
  ['POST', '/api/stats', 'api'],
  ['GET', '/api/nothing', 'api'],
  // A picture whose address cannot be decoded.
  ['GET', '/preview/%ff/a.png', 'api'],
  ['GET', '/preview-html/%ff/a', 'link'],
] as const)('%s %s is treated as %s', (method, path, surface) => {
  expect(table.find(path).surfaceFor(method)).toBe(surface);
});

test('an address that takes uploads is unknown to all other methods', () => {
  expect(table.find('/report.html')).toMatchObject({ methods: [], takesUploads: true });
  expect(table.find('/').methods).toEqual(['GET', 'HEAD', 'OPTIONS']);
});

test('with a slash at its end an item can be read, but not removed: the name of what is in it may be missing there', () => {
  expect(table.find('/api/kv/a/b').methods).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS']);
  expect(table.find('/api/kv/a/b/').methods).toEqual(['GET', 'HEAD', 'OPTIONS']);
  expect([...table.find('/api/kv/a/b/').absent]).toEqual(['DELETE']);
  expect(table.find('/api/kv/a/b').absent.size).toBe(0);
  expect(table.find('/api/kv/a/b/c/').methods).toEqual([]);
  expect(table.find('/api/kv/').methods).toEqual(['OPTIONS', 'POST']);
});
