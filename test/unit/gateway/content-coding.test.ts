import { describe, expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { compress } from '../../../services/gateway/http/compress.ts';
import {
  codingFor,
  heldTag,
  isCompressible,
  MIN_CODED_BYTES,
} from '../../../services/gateway/http/content-coding.ts';

test.each([
  [null, null],
  ['', null],
  ['identity', null],
  ['gzip', 'gzip'],
  ['GZip', 'gzip'],
  ['x-gzip;q=0.5', 'gzip'],
  ['x-gzip;q=0', null],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['*', 'zstd'],
  ['*;q=0', null],
  ['zstd;q=0, *', 'br'],
  ['zstd;q=0.5, br;q=0.8, gzip;q=0.2', 'br'],
  ['gzip;q=0', null],
  ['gzip;q=0.5, identity', null],
  ['gzip;q=0.001', 'gzip'],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['identity;q=0', null],
  ['identity;q=0, gzip', 'gzip'],
  ['gzip;q=0, identity;q=0', null],
  ['deflate, compress, snappy', null],
  ['gzip;q=x', null],
  [`${'x,'.repeat(200)}br`, 'br'],
])('Accept-Encoding %p gets %p', (header, coding) => {
  const headers = new Headers(header === null ? {} : { 'Accept-Encoding': header });
  expect(codingFor(headers)).toBe(coding as ReturnType<typeof codingFor>);
  headers.set('Range', 'bytes=0-1');
  expect(codingFor(headers)).toBeNull();
});

test.each([
  ['"a"', 'gzip', '"a"'],
  ['W/"a"', 'gzip', '"a"'],
  ['"a-gzip"', 'gzip', '"a-gzip"'],
  ['W/"a-gzip"', 'gzip', '"a-gzip"'],
  ['"b", "a-br"', 'gzip, br', '"a-br"'],
  // A cache that holds the form of another client may not give it to this one.
  ['"a-br"', 'gzip', null],
  ['"a-gzip"', 'identity', null],
  ['*', 'gzip', '"a"'],
  ['"b-gzip"', 'gzip', null],
])('If-None-Match %p of a client that accepts %p names %p', (known, accepted, tag) => {
  const headers = new Headers({ 'If-None-Match': known, 'Accept-Encoding': accepted });
  expect(heldTag(headers, '"a"')).toBe(tag);
});

test.each([
  ['text/html; charset=utf-8', true],
  ['TEXT/CSS', true],
  ['text/event-stream', false],
  ['application/json', true],
  ['application/json;charset=utf-8', true],
  ['application/ld+json', true],
  ['application/xhtml+xml', true],
  ['image/svg+xml', true],
  ['application/javascript', true],
  ['image/png', false],
  ['application/zip', false],
  ['application/jsonx', false],
  ['', false],
])('%p is compressed: %p', (type, compressed) => {
  expect(isCompressible(type)).toBe(compressed);
});

describe('bytes', () => {
  const text = (length: number) => new Uint8Array(length).fill(97);

  test('are compressed from 1 KB, at once and on another thread', async () => {
    expect(await compress(text(MIN_CODED_BYTES - 1), 'gzip')).toBe('not-worth');
    for (const length of [MIN_CODED_BYTES, MIN_CODED_BYTES + 1, 16_384, 16_385]) {
      const made = await compress(text(length), 'gzip');
      expect(made instanceof Uint8Array && gunzipSync(made)).toEqual(Buffer.from(text(length)));
    }
  });

  test('that have no structure stay as they are', async () => {
    for (const coding of ['zstd', 'br', 'gzip'] as const)
      for (const length of [2_000, 20_000])
        expect(await compress(crypto.getRandomValues(new Uint8Array(length)), coding)).toBe('not-worth');
  });

  test('are left as they are when too many wait, and each that waits is compressed', async () => {
    const made = await Promise.all(Array.from({ length: 80 }, () => compress(text(100_000), 'zstd')));
    expect(made.filter((one) => one === 'busy')).toHaveLength(80 - 66);
    expect(await compress(text(100_000), 'zstd')).toBeInstanceOf(Uint8Array);
  });
});
