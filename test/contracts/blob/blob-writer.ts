import { createDiskBlobStore } from '../../../shared/adapters/blob/disk.ts';
import { createS3BlobStore, type S3BlobStoreOptions } from '../../../shared/adapters/blob/s3.ts';
import { newBlobKey } from '../../../shared/ids.ts';
import { content } from './contract.ts';

/** A process to be killed while it puts blobs; it says on standard output what it begins and what it has put. */
export type WriterOptions = { dir: string } | S3BlobStoreOptions;

export const WRITTEN = content(2_000_000, 3);

/** Should nobody kill it, it ends by itself before the disk is full. */
const MOST = 100;

if (import.meta.main) {
  const options = JSON.parse(process.argv[2] ?? '') as WriterOptions;
  const store = 'dir' in options ? await createDiskBlobStore(options) : await createS3BlobStore(options);
  for (let count = 0; count < MOST; count++) {
    const key = newBlobKey();
    process.stdout.write(`begun ${key}\n`);
    await store.put(key, WRITTEN);
    process.stdout.write(`put ${key}\n`);
  }
}
