import { errors } from '../errors.ts';
import { newBlobFolder, newBlobKey } from '../ids.ts';
import { backupIsUnderWay } from './backup-lock.ts';
import type { Query } from './sql.ts';

/**
 * Registers keys for blobs about to be written. From `until` on the sweeper deletes whatever is stored under them,
 * unless `claimBlobs` has made them part of an item.
 */
export async function reserveBlobKeys(sql: Query, count: number, until: number): Promise<string[]> {
  const folder = newBlobFolder();
  const keys = Array.from({ length: count }, () => newBlobKey(folder));
  await addToTrash(sql, keys, until, false);
  return keys;
}

/** Extends the reservation of blobs, for a long upload. Keys that are due or already used stay as they are. */
export async function extendReservation(
  sql: Query,
  keys: string[],
  now: number,
  until: number,
): Promise<void> {
  await sql`
    update blob_trash set delete_after = ${until}
    where key = any(${keys}) and not used and not doomed and delete_after > ${now} and delete_after < ${until}`;
}

/**
 * Takes blobs out of the trash, in the transaction that makes them part of an item. Refuses blobs that are due at `now`, as
 * a sweeper that died may have deleted the blob and left its row, and blobs that were part of an item before, as a late
 * second attempt at a write would bring old content back.
 * @throws TIMEOUT when the upload took longer than its reservation
 */
export async function claimBlobs(sql: Query, keys: string[], now: number): Promise<void> {
  const { count } = await sql`
    delete from blob_trash where key = any(${keys}) and not used and not doomed and delete_after > ${now}`;
  if (count !== keys.length) throw errors.timeout('the upload outlived its reservation');
}

/** Puts blobs into the trash, to be deleted at `deleteAfter`: readers under way still finish. */
export async function discardBlobs(sql: Query, keys: string[], deleteAfter: number): Promise<void> {
  if (keys.length > 0) await addToTrash(sql, keys, deleteAfter, true);
}

async function addToTrash(sql: Query, keys: string[], deleteAfter: number, used: boolean): Promise<void> {
  await sql`
    insert into blob_trash (key, delete_after, used)
    select key, ${deleteAfter}, ${used} from unnest(${keys}::text[]) as key
    on conflict (key) do nothing`;
}

/** Whether a blob was part of an item and is no more; `false` also when the sweeper has been there. */
export async function wasUsed(sql: Query, key: string): Promise<boolean> {
  const [row] = await sql<Array<{ used: boolean }>>`select used from blob_trash where key = ${key}`;
  return row?.used ?? false;
}

/**
 * Takes keys that are due; no other sweeper gets them before `until`. The caller deletes the blobs and then calls
 * `forgetBlobs`; keys that it does not forget are due again at `until`. Returns none while a backup copies blobs. Blobs
 * that were taken just before a backup began do no harm: they were due before its snapshot, so no item in it refers to
 * them.
 */
export async function takeDueBlobs(sql: Query, now: number, until: number, limit: number): Promise<string[]> {
  const rows = await sql<Array<{ key: string }>>`
    update blob_trash set doomed = true, delete_after = ${until}
    where key = any(array(
      select key from blob_trash where delete_after <= ${now} and not ${backupIsUnderWay(sql)}
      order by delete_after limit ${limit} for update skip locked
    )) returning key`;
  return rows.map((row) => row.key);
}

export async function forgetBlobs(sql: Query, keys: string[]): Promise<void> {
  await sql`delete from blob_trash where key = any(${keys})`;
}

/** Makes blobs of the trash due at another moment. */
export async function postponeBlobs(sql: Query, keys: string[], until: number): Promise<void> {
  await sql`update blob_trash set delete_after = ${until} where key = any(${keys})`;
}
