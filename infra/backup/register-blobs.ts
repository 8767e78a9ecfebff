import { join } from 'node:path';
import type { Database, Query } from '../../shared/items/sql.ts';
import type { BlobStore } from '../../shared/ports/blob-store.ts';
import { copyIn } from './copy-in.ts';
import { assertEmpty, EMPTY_TARGET_ADVICE } from './empty-target.ts';
import type { Manifest } from './manifest.ts';
import { ToolError } from './run-tool.ts';

const KEYS_AT_ONCE = 1_000;
/** How long blobs of an interrupted restore stay before they expire, in ms. */
const LEFT_ALONE_MS = 7 * 86_400_000;

/** Makes the keys of the backup's blobs the table `backup_blobs` for the rest of the transaction. */
export async function loadBlobList(tx: Query, folder: string, { blobs }: Manifest): Promise<void> {
  await tx`create temp table backup_blobs (key text primary key, size bigint, sha256 text) on commit drop`;
  await copyIn(tx, 'copy backup_blobs from stdin', join(folder, blobs.file));
}

/**
 * Registers the backup's blobs before they are written, like uploads: from a restore that is cut off nothing stays for
 * good. One that was cut off before can go on.
 * @throws ToolError when there are others
 */
export async function registerBlobs(
  sql: Database,
  blobs: BlobStore,
  folder: string,
  manifest: Manifest,
): Promise<void> {
  await sql.begin(async (tx) => {
    // Another restore may have filled them meanwhile: its blobs must not get into the trash.
    await tx`lock table items in share mode`;
    await assertEmpty(tx);
    await loadBlobList(tx, folder, manifest);
    const strangers = await tx`
      select from blob_trash where not exists (select from backup_blobs where key = blob_trash.key) limit 1`;
    if (strangers.length > 0)
      throw new ToolError(`This Perch has been used for uploads. ${EMPTY_TARGET_ADVICE}`);
    for await (const keys of grouping(blobs.list())) {
      const [stranger] = await tx<Array<{ key: string }>>`
        select key from unnest(${keys}::text[]) as key
        where not exists (select from backup_blobs where backup_blobs.key = key.key) limit 1`;
      if (stranger !== undefined) {
        throw new ToolError(
          `The content store is not empty: ${stranger.key} is of no item of the backup. ${EMPTY_TARGET_ADVICE}`,
        );
      }
    }
    await tx`
      insert into blob_trash (key, delete_after, used) select key, ${Date.now() + LEFT_ALONE_MS}, true from backup_blobs
      on conflict (key) do update set delete_after = excluded.delete_after`;
  });
}

async function* grouping(keys: AsyncIterable<string>): AsyncGenerator<string[]> {
  let group: string[] = [];
  for await (const key of keys) {
    group.push(key);
    if (group.length < KEYS_AT_ONCE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
