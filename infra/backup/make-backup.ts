import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import type { StoreSettings } from '../../shared/config/stores.ts';
import { errorCode } from '../../shared/error-code.ts';
import type { Database, Query } from '../../shared/items/sql.ts';
import { messageOf } from '../../shared/message-of.ts';
import { BLOB_KEY } from '../../shared/ports/blob-store.ts';
import { createProgress, type Output } from '../demo/progress.ts';
import { DATA_FOLDER, makeDataFolder, openBackupFolder, pathsOf, removeIfEmpty } from './backup-folder.ts';
import { type BackupSession, openBackupSession } from './backup-session.ts';
import { readBlobList } from './blob-list.ts';
import { copyBlobs } from './copy-blobs.ts';
import { dumpDatabase } from './dump-database.ts';
import { findManifest, type Manifest, writeManifest } from './manifest.ts';
import { ToolError } from './run-tool.ts';
import { describeStores, openSource, openToolDatabase, type Source } from './stores.ts';

interface BackupOptions {
  /** The folder that gets it. */
  to: string;
  withLog: boolean;
}

/**
 * Copies a Perch, running or not, into a folder. The settings name it (PG_URL and S3_*, or DATA_DIR). The folder may
 * hold an earlier backup: then only new blobs are copied, and that backup stays whole until this one is complete.
 * Resources are released with `opened`.
 * @throws ToolError in plain words, when there is no backup
 */
export async function makeBackup(
  settings: StoreSettings,
  { to, withLog }: BackupOptions,
  output: Output,
  opened: AsyncDisposableStack,
): Promise<void> {
  const log = pino({ level: 'silent' });
  const { folder, isNew, lock } = await openBackupFolder(to);
  opened.adopt(lock, (held) => held.release());
  // Where there was no Perch to back up, say.
  if (isNew) opened.defer(() => removeIfEmpty(folder));
  const previous = await findManifest(folder);
  await prune(folder, previous);
  output.write(`Backing up ${describeStores(settings)}.\n`);
  const source = await openSource(settings, log, opened);
  const session = opened.adopt(await openBackupSession(source.databaseUrl), (held) => held.end());
  const sql = openToolDatabase(source.databaseUrl, log, opened);

  const { manifest, copied } = await copySource({
    folder,
    source,
    session,
    sql,
    previous,
    withLog,
    output,
  }).catch((error: unknown) => breakOff(folder, error));
  await prune(folder, manifest);
  const removed = await pruneBlobs(folder, manifest);
  await noteRun(sql, manifest, output);
  if (manifest.cookieSecretMark === null)
    output.write(
      'No cookie secret was found (COOKIE_SECRET, or cookie-secret in DATA_DIR): a restore of this backup will leave out the idempotency keys of creates.\n',
    );
  const { madeAt, blobs } = manifest;
  const size = (blobs.bytes / 1_048_576).toFixed(1);
  output.write(
    `${folder} is a backup of ${madeAt}: ${blobs.count} blobs of ${size} MB (${copied} copied, ${removed} removed).\n`,
  );
}

interface Copying extends Pick<BackupOptions, 'withLog'> {
  folder: string;
  source: Source;
  session: BackupSession;
  sql: Database;
  /** The backup that was in the folder before. */
  previous: Manifest | null;
  output: Output;
}

/** Writes a whole backup, and says how many blobs it had to copy. */
async function copySource(copying: Copying): Promise<{ manifest: Manifest; copied: number }> {
  const { folder, source, session, sql, previous, withLog, output } = copying;
  const data = await makeDataFolder(folder, new Date());
  const onTable = (name: string, rows: number) => output.write(`${name}: ${rows} rows\n`);
  const { blobCount, ...dump } = await dumpDatabase(sql, { folder, data, withLog, onTable });
  const progress = createProgress('content', output);
  const done = { kept: 0, copied: 0 };
  const onBlob = (copied: boolean) => {
    done[copied ? 'copied' : 'kept'] += 1;
    progress.show((done.copied + done.kept) / blobCount, `${done.copied + done.kept} of ${blobCount} blobs`);
  };
  const blobs = await copyBlobs({ folder, data, blobs: source.blobs, previous, onBlob })
    .catch(async (error: unknown) => {
      // Without the lock a blob may be gone that its item had: nothing is wrong with that item.
      await session.assertHeld();
      throw error;
    })
    .finally(() => progress.end());
  await session.assertHeld();
  const { cookieSecretMark } = source;
  const manifest: Manifest = { format: 1, ...dump, withLog, cookieSecretMark, blobs };
  await writeManifest(folder, manifest);
  return { manifest, copied: done.copied };
}

const NO_ROOM = new Set<unknown>(['ENOSPC', 'EDQUOT']);

/** Gives back the room of a backup that was not finished. Blobs stay: the next one need not copy them. */
async function breakOff(folder: string, error: unknown): Promise<never> {
  await findManifest(folder)
    .then((current) => prune(folder, current))
    .catch(() => undefined);
  if (!NO_ROOM.has(errorCode(error))) throw error;
  throw new ToolError(
    `There is no room left in ${folder} (${errorCode(error)}). Make some, and run it again: blobs that were copied are not copied twice.`,
  );
}

/** Notes the backup in its source, where dashboards see how old the last one is. A role that only reads cannot. */
async function noteRun(sql: Query, { blobs, withLog }: Manifest, output: Output): Promise<void> {
  try {
    await sql`insert into backup_runs (blob_bytes, with_log) values (${blobs.bytes}, ${withLog})`;
  } catch (error) {
    const reason = messageOf(error);
    output.write(`The backup is whole. It could not be noted in the database (${reason}).\n`);
  }
}

/** Removes what is of no backup: of one that was not finished, when `manifest` is null all but the blobs. */
async function prune(folder: string, manifest: Manifest | null): Promise<void> {
  const paths = pathsOf(folder);
  for (const name of await readdir(paths.incoming)) await rm(join(paths.incoming, name), { force: true });
  const current = manifest?.blobs.file.split('/')[0];
  for (const name of await readdir(folder)) {
    if (DATA_FOLDER.test(name) && name !== current) await rm(join(folder, name), { recursive: true });
  }
}

/** Removes blobs that the backup does not list. Both sides come in the order of keys, so little is held at a time. */
async function pruneBlobs(folder: string, manifest: Manifest): Promise<number> {
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
