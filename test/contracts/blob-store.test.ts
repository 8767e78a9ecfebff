import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { nanoid } from 'nanoid';
import { createDiskBlobStore } from '../../shared/adapters/blob-store-disk.ts';
import { createS3BlobStore } from '../../shared/adapters/blob-store-s3.ts';
import { newBlobKey } from '../../shared/ids.ts';
import { assertBlobKey } from '../../shared/ports/blob-store.ts';
import { temporaryFolder, useServers } from '../servers.ts';
import { blobStoreContract, HOSTILE_KEYS } from './blob-store-contract.ts';

setDefaultTimeout(60_000);
const setting = useServers('S3_ENDPOINT');
let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

blobStoreContract('disk', () => createDiskBlobStore({ dir: join(folder, nanoid()) }));

blobStoreContract('S3', () =>
  createS3BlobStore({
    endpoint: setting('S3_ENDPOINT'),
    accessKey: setting('S3_ACCESS_KEY'),
    secretKey: setting('S3_SECRET_KEY'),
    region: setting('S3_REGION'),
    bucket: `contract-${Bun.randomUUIDv7()}`,
  }),
);

test('every key that is made passes the guard', () => {
  for (let count = 0; count < 1_000; count++) assertBlobKey(newBlobKey());
});

test('the guard lets no key out of the store, whatever it is made of', () => {
  const piece = fc.oneof(
    fc.constantFrom('..', '.', '/', '\\', '\0', '\n', '%2e', 'ab', 'abcdefgh', 'A', ' ', '\u202e'),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );
  const key = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
    fc.constantFrom(...HOSTILE_KEYS),
    fc.stringMatching(/^[a-z0-9]{2}\/[a-z0-9]{8,64}$/),
  );
  fc.assert(
    fc.property(key, (candidate) => {
      let passed = true;
      try {
        assertBlobKey(candidate);
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        passed = false;
      }
      if (!passed) return;
      expect(join('/store', candidate)).toBe(`/store/${candidate}`);
      expect(candidate).toMatch(/^[a-z0-9/]{11,67}$/);
      expect(candidate.split('/')).toHaveLength(2);
    }),
    { numRuns: 2_000 },
  );
});
