import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BLOB_KEY } from '../../shared/ports/blob-store.ts';
import { DATA_FOLDER, pathsOf } from './backup-folder.ts';
import { readBlobList } from './blob-list.ts';
import type { Manifest } from './manifest.ts';

/** Removes what is of no backup: of one that was not finished, when `manifest` is null all but the blobs. */
export async function prune(folder: string, manifest: Manifest | null): Promise<void> {
  const paths = pathsOf(folder);
  for (const name of await readdir(paths.incoming)) await rm(join(paths.incoming, name), { force: true });
  const current = manifest?.blobs.file.split('/')[0];
  for (const name of await readdir(folder)) {
    if (DATA_FOLDER.test(name) && name !== current) await rm(join(folder, name), { recursive: true });
  }
}

/** Removes blobs that the backup does not list. Both sides come in the order of keys, so little is held at a time. */
export async function pruneBlobs(folder: string, manifest: Manifest): Promise<number> {
  const { blobs } = pathsOf(folder);
  const listed = readBlobList(join(folder, manifest.blobs.file));
  let next = await listed.next();
  let removed = 0;
  for (const prefix of (await readdir(blobs)).sort()) {
    const keys = (await readdir(join(blobs, prefix))).map((name) => `${prefix}/${name}`).sort();
    for (const key of keys) {
      while (next.done !== true && next.value.key < key) next = await listed.next();
      if (next.done !== true && next.value.key === key) continue;
      if (!BLOB_KEY.test(key)) continue;
      await rm(join(blobs, key));
      removed += 1;
    }
  }
  await listed.return(undefined);
  return removed;
}
