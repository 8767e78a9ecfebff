import pino from 'pino';
import { createDiskBlobStore } from '../../../shared/adapters/blob/disk/store.ts';
import { createS3BlobStore, type S3BlobStoreOptions } from '../../../shared/adapters/blob/s3.ts';
import { newBlobKey } from '../../../shared/ids.ts';
import { content } from './contract.ts';

const log = pino({ level: 'silent' });

/** A process to be killed while it puts blobs; it says on standard output what it begins and what it has put. */
export type WriterOptions = ({ dir: string } | S3BlobStoreOptions) & {
  /** Size of each blob. */
  bytes: number;
  /** Blobs that are put at once. */
  atOnce: number;
};

/** A blob of the writer. */
export const written = (bytes: number): Uint8Array => content(bytes, 3);

/** Should nobody kill it, it ends by itself before the disk is full. */
const MAX_PUTS = 100;

if (import.meta.main) {
  const options = JSON.parse(process.argv[2] ?? '') as WriterOptions;
  const store =
    'dir' in options ? await createDiskBlobStore({ ...options, log }) : await createS3BlobStore(options);
  const bytes = written(options.bytes);
  for (let count = 0; count < MAX_PUTS; count += options.atOnce) {
    const puts = Array.from({ length: options.atOnce }, async () => {
      const key = newBlobKey();
      process.stdout.write(`begun ${key}\n`);
      const isPut = await store.put(key, bytes).then(
        () => true,
        () => false,
      );
      process.stdout.write(`${isPut ? 'put' : 'refused'} ${key}\n`);
    });
    await Promise.all(puts);
  }
  process.exit(0);
}
