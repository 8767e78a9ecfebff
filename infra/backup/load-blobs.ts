import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '../../shared/ports/blob-store.ts';
import { pathsOf } from './backup-folder.ts';
import { inWindows, type ListedBlob, readBlobList } from './blob-list.ts';
import type { Manifest } from './manifest.ts';
import { damaged } from './verify.ts';

/** Blobs at once; with up to 8 MB of each in memory. */
const WIDTH = 4;
const IN_MEMORY_BYTES = 8 * 1_048_576;

/** Puts the backup's blobs into the store. */
export async function loadBlobs(
  blobs: BlobStore,
  folder: string,
  manifest: Manifest,
  onBlob: (done: number) => void,
): Promise<void> {
  let done = 0;
  const list = readBlobList(join(folder, manifest.blobs.file));
  for await (const _ of inWindows(list, WIDTH, (blob) => put(blobs, folder, blob))) onBlob(++done);
}

async function put(blobs: BlobStore, folder: string, { key, size, sha256 }: ListedBlob): Promise<void> {
  const path = pathsOf(folder).blob(key);
  if (size > IN_MEMORY_BYTES) return await blobs.putFile(key, path);
  const bytes = await readFile(path);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw damaged(`blobs/${key}`);
  await blobs.put(key, bytes);
}
