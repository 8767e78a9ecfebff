import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { newBlobKey } from '../../../shared/ids.ts';
import type { BlobStore, ByteRange } from '../../../shared/ports/blob-store.ts';
import { atDepth } from '../../depth.ts';

const LARGE = 6_000_000;
/** How often three readers each leave a body: a store that keeps what one held has more files open than before. */
const ROUNDS = atDepth(100, 20);

const bytesOf = async (body: ReadableStream<Uint8Array>): Promise<Uint8Array> =>
  new Uint8Array(await new Response(body).arrayBuffer());

/** Bytes that are equal for equal seeds, and differ at every place of a large blob. */
export function content(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

export async function readWhole(store: BlobStore, key: string, range?: ByteRange): Promise<Uint8Array> {
  const blob = await store.open(key, range);
  if (blob === null) throw new Error(`there is no blob ${key}`);
  return await bytesOf(blob.body);
}

export async function listed(store: BlobStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list()) keys.push(key);
  return keys.sort();
}

/** Files and sockets this process holds open. */
const descriptors = (): number => readdirSync('/proc/self/fd').length;

/** Closing takes a moment; a leak stays. */
async function settlesAtMost(limit: number): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (descriptors() <= limit) return true;
    await Bun.sleep(20);
  }
  return false;
}

/** Keys that would leave the store, or that no `newBlobKey` makes. */
export const HOSTILE_KEYS = [
  '',
  '../x',
  'ab/../../etc',
  'ab/../cdefghijklm',
  '/etc/passwd',
  '/ab/cdefghijklm',
  'ab/cdefgh\0ijklm',
  'ab/cdefghijklm\n',
  `ab/${'c'.repeat(65)}`,
  'ab/short',
  'ab',
  'ab/',
  'AB/cdefghijklm',
  'ab/CDEFGHIJKLM',
  'ab\\cdefghijklm',
  'ab/cdefgh/ijklmnop',
  './cdefghijklm',
  'ab/%2e%2e%2fcdefg',
  'äb/cdefghijklm',
];

/** The promises of `shared/ports/blob-store.ts`, on one adapter. `open` gives a store that is empty. */
export function blobStoreContract(name: string, open: () => Promise<BlobStore>): void {
  describe(`blob store: ${name}`, () => {
    let store: BlobStore;
    const small = content(1_000);
    const large = content(LARGE, 7);

    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    test('what was put is read back, listed and removed', async () => {
      expect(await listed(store)).toEqual([]);
      const keys = [newBlobKey(), newBlobKey(), newBlobKey()].sort();
      for (const [index, key] of keys.entries()) await store.put(key, content(100, index));
      for (const [index, key] of keys.entries()) {
        const blob = await store.open(key);
        expect(blob?.size).toBe(100);
        if (blob) expect(await bytesOf(blob.body)).toEqual(content(100, index));
      }
      expect(await listed(store)).toEqual(keys);
      await store.remove(keys.slice(0, 2));
      expect(await store.open(keys[0] ?? '')).toBeNull();
      expect(await listed(store)).toEqual(keys.slice(2));
      await store.remove(keys);
      expect(await listed(store)).toEqual([]);
    });

    test('an empty blob is a blob', async () => {
      const key = newBlobKey();
      await store.put(key, new Uint8Array(0));
      const blob = await store.open(key);
      expect(blob?.size).toBe(0);
      if (blob) expect(await bytesOf(blob.body)).toHaveLength(0);
      await expect(store.open(key, { start: 0, end: 0 })).rejects.toBeInstanceOf(RangeError);
    });

    test('a part of a larger buffer is put as that part', async () => {
      const key = newBlobKey();
      await store.put(key, small.subarray(100, 200));
      expect(await readWhole(store, key)).toEqual(small.slice(100, 200));
    });

    test('6 MB come back byte for byte, and by ranges', async () => {
      const key = newBlobKey();
      await store.put(key, large);
      expect(Bun.hash(await readWhole(store, key))).toBe(Bun.hash(large));
      const ranges = [
        { start: 0, end: 0 },
        { start: LARGE - 1, end: LARGE - 1 },
        { start: 1, end: 1 },
        { start: 2_500_000, end: 3_500_000 },
        { start: 0, end: LARGE - 1 },
      ];
      for (const range of ranges) {
        const part = await store.open(key, range);
        expect(part?.size).toBe(LARGE);
        if (!part) continue;
        expect(Bun.hash(await bytesOf(part.body))).toBe(Bun.hash(large.slice(range.start, range.end + 1)));
      }
    });

    test.each([
      { start: 0, end: 1_000 },
      { start: 999, end: 1_000 },
      { start: 1_000, end: 1_000 },
      { start: 5, end: 4 },
      { start: -1, end: 4 },
      { start: 0.5, end: 4 },
      { start: 0, end: Number.NaN },
      { start: 0, end: Number.POSITIVE_INFINITY },
    ])('the range %j is not within 1000 bytes: RangeError', async (range) => {
      const key = newBlobKey();
      await store.put(key, small);
      await expect(store.open(key, range)).rejects.toBeInstanceOf(RangeError);
    });

    test('a key that was never put: open gives null, removal is no error', async () => {
      const key = newBlobKey();
      expect(await store.open(key)).toBeNull();
      expect(await store.open(key, { start: 0, end: 0 })).toBeNull();
      await store.remove([key]);
      await store.remove([]);
    });

    test.each(HOSTILE_KEYS)('the key %j is refused by every operation', async (key) => {
      const before = await listed(store);
      const good = newBlobKey();
      await store.put(good, small);
      await expect(store.put(key, small)).rejects.toBeInstanceOf(TypeError);
      await expect(store.open(key)).rejects.toBeInstanceOf(TypeError);
      await expect(store.open(key, { start: 0, end: 0 })).rejects.toBeInstanceOf(TypeError);
      await expect(store.remove([good, key])).rejects.toBeInstanceOf(TypeError);
      expect(await listed(store)).toEqual([...before, good].sort());
      await store.remove([good]);
    });

    test('20 puts at once, each whole', async () => {
      const keys = Array.from({ length: 20 }, newBlobKey);
      await Promise.all(keys.map((key, index) => store.put(key, content(50_000, index))));
      const read = await Promise.all(keys.map((key) => readWhole(store, key)));
      expect(read.map((bytes) => Bun.hash(bytes))).toEqual(
        keys.map((_, index) => Bun.hash(content(50_000, index))),
      );
      await store.remove(keys);
    });

    test('who reads a blob while it is removed reads it to the end', async () => {
      const key = newBlobKey();
      await store.put(key, large);
      const readers = await Promise.all(Array.from({ length: 5 }, () => store.open(key)));
      const part = await store.open(key, { start: 10, end: 5_000_009 });
      await store.remove([key]);
      expect(await store.open(key)).toBeNull();
      for (const reader of readers) {
        expect(Bun.hash(reader ? await bytesOf(reader.body) : '')).toBe(Bun.hash(large));
      }
      expect(Bun.hash(part ? await bytesOf(part.body) : '')).toBe(Bun.hash(large.slice(10, 5_000_010)));
    });

    test('bodies cancelled midway, or unread, or read in part give back what they held', async () => {
      const key = newBlobKey();
      await store.put(key, large);
      await readWhole(store, key);
      const before = descriptors();
      for (let round = 0; round < ROUNDS; round++) {
        const [read, unread, part] = await Promise.all([
          store.open(key),
          store.open(key),
          store.open(key, { start: 0, end: 1 }),
        ]);
        const reader = read?.body.getReader();
        await reader?.read();
        await Promise.all([reader?.cancel(), unread?.body.cancel(), part?.body.cancel()]);
      }
      expect(await settlesAtMost(before + 8)).toBe(true);
      expect(Bun.hash(await readWhole(store, key))).toBe(Bun.hash(large));
    });

    test('a store that is there says so', async () => {
      await store.check();
    });
  });
}
