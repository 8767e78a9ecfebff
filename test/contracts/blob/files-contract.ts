import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newBlobKey } from '../../../shared/ids.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';
import { atDepth } from '../../depth.ts';
import { content, HOSTILE_KEYS, listed, readWhole } from './contract.ts';

/** Where the S3 adapter cuts files into parts; sizes around it are the interesting ones. */
const PART = 8 * 1_048_576;

export interface FileSubject {
  open(): Promise<BlobStore>;
  /** Leftovers of unfinished puts in the store; there must be none between operations. */
  leftovers(): Promise<string[]>;
}

/** The guarantees of `putFile` beyond those of `put`, on one adapter. */
export function blobStoreFilesContract(name: string, subject: FileSubject): void {
  describe(`blob store, files: ${name}`, () => {
    let store: BlobStore;
    let folder: string;
    const large = content(40 * 1_048_576 + 1, 11);
    const fileOf = async (bytes: Uint8Array): Promise<string> => {
      const path = join(folder, 'upload');
      await writeFile(path, bytes);
      return path;
    };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'perch-files-'));
      store = await subject.open();
    });
    afterAll(async () => {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    });

    test.each([0, 1, 70_000, PART - 1, PART, PART + 1, ...atDepth([2 * PART], []), 40 * 1_048_576 + 1])(
      'a file of %d bytes comes back byte for byte, and by ranges over the borders of parts',
      async (size) => {
        const key = newBlobKey();
        const bytes = large.subarray(0, size);
        const path = await fileOf(bytes);
        await store.putFile(key, path);
        const blob = await store.open(key);
        expect(blob?.size).toBe(size);
        await blob?.body.cancel();
        expect(Bun.hash(await readWhole(store, key))).toBe(Bun.hash(bytes));
        const ranges = [
          { start: 0, end: 0 },
          { start: PART - 2, end: PART - 1 },
          { start: PART - 1, end: PART },
          { start: PART, end: PART },
          { start: PART - 1_000, end: 3 * PART + 5 },
          { start: size - 1, end: size - 1 },
        ];
        for (const { start, end } of ranges.filter((range) => range.start >= 0 && range.end < size)) {
          const part = await readWhole(store, key, { start, end });
          expect(Bun.hash(part)).toBe(Bun.hash(bytes.subarray(start, end + 1)));
        }
        await expect(store.open(key, { start: 0, end: size })).rejects.toBeInstanceOf(RangeError);
        // The file stays with whoever made it.
        expect(Bun.hash(await readFile(path))).toBe(Bun.hash(bytes));
        expect(await listed(store)).toEqual([key]);
        expect(await subject.leftovers()).toEqual([]);
        await store.remove([key]);
        expect(await listed(store)).toEqual([]);
        expect(await store.open(key)).toBeNull();
      },
    );

    test('what becomes of the file afterwards does not touch the blob', async () => {
      const key = newBlobKey();
      const path = await fileOf(large.subarray(0, 100_000));
      await store.putFile(key, path);
      await writeFile(path, 'something else');
      await rm(path);
      expect(Bun.hash(await readWhole(store, key))).toBe(Bun.hash(large.subarray(0, 100_000)));
      await store.remove([key]);
    });

    test('a file that is not there is an error that leaves nothing', async () => {
      const key = newBlobKey();
      const missing = store.putFile(key, join(folder, 'missing'));
      await expect(missing).rejects.toMatchObject({ code: 'ENOENT' });
      expect(await store.open(key)).toBeNull();
      expect(await listed(store)).toEqual([]);
      expect(await subject.leftovers()).toEqual([]);
    });

    test('keys that would leave the store are refused', async () => {
      const path = await fileOf(large.subarray(0, 10));
      for (const key of HOSTILE_KEYS)
        await expect(store.putFile(key, path)).rejects.toBeInstanceOf(TypeError);
      expect(await listed(store)).toEqual([]);
    });

    test('several large files at once, each whole', async () => {
      const path = await fileOf(large);
      const keys = Array.from({ length: atDepth(4, 2) }, newBlobKey);
      await Promise.all(keys.map((key) => store.putFile(key, path)));
      for (const key of keys) expect(Bun.hash(await readWhole(store, key))).toBe(Bun.hash(large));
      await store.remove(keys);
      expect(await subject.leftovers()).toEqual([]);
    });
  });
}
