import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { Client } from 'minio';
import { nanoid } from 'nanoid';
import pino from 'pino';
import { createDiskBlobStore } from '../../../shared/adapters/blob/disk/store.ts';
import { createS3BlobStore } from '../../../shared/adapters/blob/s3.ts';
import { newBlobKey } from '../../../shared/ids.ts';
import { assertBlobKey } from '../../../shared/ports/blob-store.ts';
import { anyCharacter } from '../../any-character.ts';
import { temporaryFolder, useServers } from '../../servers.ts';
import { blobStoreContract, HOSTILE_KEYS } from './contract.ts';
import { blobStoreFilesContract } from './files-contract.ts';

const log = pino({ level: 'silent' });

setDefaultTimeout(60_000);
const setting = useServers('S3_ENDPOINT');
let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

blobStoreContract('disk', () => createDiskBlobStore({ dir: join(folder, nanoid()), log }));

const openS3 = (bucket: string) =>
  createS3BlobStore({
    endpoint: setting('S3_ENDPOINT'),
    accessKey: setting('S3_ACCESS_KEY'),
    secretKey: setting('S3_SECRET_KEY'),
    region: setting('S3_REGION'),
    bucket,
  });

/** The server as an operator sees it, with what the store itself never shows. */
function s3Client(): Client {
  const { hostname, port, protocol } = new URL(setting('S3_ENDPOINT'));
  return new Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: protocol === 'https:',
    pathStyle: true,
    accessKey: setting('S3_ACCESS_KEY'),
    secretKey: setting('S3_SECRET_KEY'),
    region: setting('S3_REGION'),
  });
}

/** Keys, or their first folder, of multipart uploads that are neither complete nor aborted. */
async function unfinishedUploads(bucket: string, prefix = ''): Promise<string[]> {
  const { uploads, prefixes } = await s3Client().listIncompleteUploadsQuery(bucket, prefix, '', '', '/');
  return [...uploads.map(({ key }) => key), ...prefixes.map((common) => common.prefix)];
}

blobStoreContract('S3', () => openS3(`contract-${Bun.randomUUIDv7()}`));

blobStoreFilesContract('disk', {
  open: () => createDiskBlobStore({ dir: join(folder, 'files'), log }),
  leftovers: () => readdir(join(folder, 'files', 'incoming')),
});

const filesBucket = `files-${Bun.randomUUIDv7()}`;
blobStoreFilesContract('S3', {
  open: () => openS3(filesBucket),
  leftovers: () => unfinishedUploads(filesBucket),
});

test('S3: removing a blob also removes an upload of it that a killed process left', async () => {
  const bucket = `killed-${Bun.randomUUIDv7()}`;
  const store = await openS3(bucket);
  const [killed, other] = [newBlobKey(), newBlobKey()];
  const uploadID = await s3Client().initiateNewMultipartUpload(bucket, killed, {});
  await s3Client().uploadPart(
    { bucketName: bucket, objectName: killed, uploadID, partNumber: 1, headers: {} },
    Buffer.alloc(6_000_000),
  );
  expect(await unfinishedUploads(bucket, killed)).toEqual([killed]);
  await store.remove([other]);
  expect(await unfinishedUploads(bucket, killed)).toEqual([killed]);
  await store.remove([killed]);
  expect(await unfinishedUploads(bucket)).toEqual([]);
  await store.close();
});

test('every key that is made passes the guard', () => {
  for (let count = 0; count < 1_000; count++) assertBlobKey(newBlobKey());
});

test('the guard lets no key out of the store, whatever it is made of', () => {
  const piece = fc.oneof(
    fc.constantFrom('..', '.', '/', '\\', '\0', '\n', '%2e', 'ab', 'abcdefgh', 'A', ' ', '\u202e'),
    fc.string({ unit: anyCharacter, maxLength: 6 }),
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
