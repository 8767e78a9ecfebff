import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { indexDays } from '../../services/analytics/repository/day-indexes.ts';
import { migrate } from '../../shared/adapters/database/migrate.ts';
import { listMigrations } from '../../shared/adapters/database/migration-files.ts';
import type { StoreSettings } from '../../shared/config/stores.ts';
import type { BlobStore } from '../../shared/ports/blob-store.ts';
import { MIGRATIONS } from '../../shared/wiring/migrations.ts';
import { createProgress, type Output } from '../demo/progress.ts';
import { pathsOf } from './backup-folder.ts';
import { inWindows, type ListedBlob, readBlobList } from './blob-list.ts';
import { assertUsable } from './empty-target.ts';
import { loadDatabase } from './load-database.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { registerBlobs } from './register-blobs.ts';
import { ToolError } from './run-tool.ts';
import { cookieSecretMark, describeStores, openTarget, openToolDatabase } from './stores.ts';
import { damaged, verifyBackup } from './verify.ts';

interface FoundBackup {
  folder: string;
  manifest: Manifest;
}

/** Reads the whole backup. @throws ToolError when anything of it is missing or not what was written */
export async function checkBackup(from: string, output: Output): Promise<void> {
  await verify(await findBackup(from), output);
}

async function findBackup(from: string): Promise<FoundBackup> {
  const folder = await realpath(from).catch(() => {
    throw new ToolError(`There is no folder ${from}.`);
  });
  return { folder, manifest: await readManifest(folder) };
}

async function verify({ folder, manifest }: FoundBackup, output: Output): Promise<void> {
  await showing('checking', manifest, output, (onBlob) => verifyBackup(folder, manifest, onBlob));
  output.write(
    `The backup of ${manifest.madeAt} is whole: schema ${manifest.schema}, ${manifest.blobs.count} blobs.\n`,
  );
}

/**
 * Restores a backup into an empty Perch that is not running. The settings name it (PG_URL, S3_* and REDIS_URL, or
 * DATA_DIR). First the target is looked at, then the whole backup is read. All rows come in one transaction, so an
 * interrupted restore leaves an empty Perch and can be repeated. Resources are released with `opened`.
 * @throws ToolError in plain words, when nothing was restored
 */
export async function restoreBackup(
  settings: StoreSettings,
  from: string,
  output: Output,
  opened: AsyncDisposableStack,
): Promise<void> {
  const log = pino({ level: 'silent' });
  const backup = await findBackup(from);
  const { folder, manifest } = backup;
  output.write(`Restoring ${describeStores(settings)}.\n`);
  const { databaseUrl, blobs, forgetCached } = await openTarget(settings, log, opened);
  const sql = openToolDatabase(databaseUrl, log, opened);
  const newest = Math.max(...(await listMigrations(MIGRATIONS)).keys());
  await assertUsable(sql, manifest, newest);
  await verify(backup, output);
  await migrate(databaseUrl, { directory: MIGRATIONS, log, upTo: manifest.schema });
  await registerBlobs(sql, blobs, folder, manifest);
  await showing('restoring', manifest, output, (onBlob) => loadBlobs(blobs, folder, manifest, onBlob));
  const mark = await cookieSecretMark(settings);
  const withIdempotencyKeys = mark !== null && mark === manifest.cookieSecretMark;
  const onTable = (name: string, rows: number) => output.write(`${name}: ${rows} rows\n`);
  await loadDatabase(sql, { folder, manifest, withIdempotencyKeys, onTable, beforeCommit: forgetCached });
  await migrate(databaseUrl, { directory: MIGRATIONS, log });
  // Nobody writes to any day.
  await indexDays(sql, Number.POSITIVE_INFINITY);
  output.write(
    withIdempotencyKeys
      ? 'Restored. Start Perch.\n'
      : 'Restored. Start Perch. Its cookie secret is not the one of the backup: creates of the last day that are repeated with their Idempotency-Key count as new ones.\n',
  );
}

/** Shows how many blobs are done with. */
async function showing(
  label: string,
  { blobs: { count } }: Manifest,
  output: Output,
  work: (onBlob: (done: number) => void) => Promise<void>,
): Promise<void> {
  const progress = createProgress(label, output);
  await work((done) => progress.show(done / count, `${done} of ${count} blobs`)).finally(() =>
    progress.end(),
  );
}

/** Blobs at once; with up to 8 MB of each in memory. */
const WIDTH = 4;
const IN_MEMORY_BYTES = 8 * 1_048_576;

/** Puts the backup's blobs into the store. */
async function loadBlobs(
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
