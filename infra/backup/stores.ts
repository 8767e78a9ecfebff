import { createHmac } from 'node:crypto';
import { access, open, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createDiskBlobStore } from '../../shared/adapters/blob/disk/store.ts';
import { createS3BlobStore } from '../../shared/adapters/blob/s3.ts';
import { FolderInUse, type FolderLock, lockFolder } from '../../shared/adapters/data-dir/folder-lock.ts';
import { startEmbeddedPostgres } from '../../shared/adapters/database/embedded/postgres.ts';
import { findPostmaster } from '../../shared/adapters/database/embedded/process.ts';
import { serverUrl } from '../../shared/adapters/database/embedded/server.ts';
import { openDatabase } from '../../shared/adapters/database/postgres.ts';
import type { StoreSettings } from '../../shared/config/stores.ts';
import { errorCode } from '../../shared/error-code.ts';
import type { Database } from '../../shared/items/sql.ts';
import type { Logger } from '../../shared/logger.ts';
import { assertBlobKey, type BlobStore } from '../../shared/ports/blob-store.ts';
import { STATEMENT_LIMIT_MS, ToolError } from './run-tool.ts';

/** Where a Perch keeps what a backup takes. */
export interface Source {
  databaseUrl: string;
  blobs: Pick<BlobStore, 'open'>;
  cookieSecretMark: string | null;
}

/** Which stores the settings name, for the operator to see. */
export const describeStores = ({ pgUrl, s3, dataDir }: StoreSettings): string =>
  [
    pgUrl === null ? `the database in ${dataDir}` : `the database at PG_URL`,
    s3 === null ? `the content in ${dataDir}` : `the content in the bucket ${s3.bucket}`,
  ].join(' and ');

/** The stores that the settings name, which a running Perch may be using. Given back with `opened`. */
export async function openSource(
  settings: StoreSettings,
  log: Logger,
  opened: AsyncDisposableStack,
): Promise<Source> {
  const { pgUrl, s3, dataDir } = settings;
  if (s3 === null) await restoreJournaled(dataDir, log);
  const databaseUrl = pgUrl ?? (await embeddedDatabase(dataDir, log, opened));
  const blobs =
    s3 === null
      ? readBlobFolder(join(dataDir, 'content', 'blobs'))
      : opened.adopt(await createS3BlobStore(s3), (store) => store.close());
  return { databaseUrl, blobs, cookieSecretMark: await cookieSecretMark(settings) };
}

/**
 * Finds the database server of a Perch that runs, and so has locked its folder; else starts that server for as long as it
 * takes, or takes over the one that a killed process has left.
 */
async function embeddedDatabase(dataDir: string, log: Logger, opened: AsyncDisposableStack): Promise<string> {
  const passwordFile = join(dataDir, 'postgres', 'password');
  const password = await readFile(passwordFile, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT')
      throw new ToolError(`There is no Perch in ${dataDir}. Set DATA_DIR, or PG_URL and S3_*.`);
    throw error;
  });
  const folder = join(await realpath(dataDir), 'postgres');
  const elsewhere = await readFile(join(folder, 'location'), 'utf8').catch(() => '');
  let lock: FolderLock;
  try {
    lock = lockFolder(dataDir);
  } catch (error) {
    const running = await findPostmaster(join(elsewhere.trim() || folder, 'cluster'));
    if (running === null) throw error;
    return serverUrl(password.trim(), running.port);
  }
  opened.adopt(lock, (held) => held.release());
  return opened.adopt(await startEmbeddedPostgres({ dataDir, log }), (server) => server.stop()).url;
}

/** After a power cut some blobs are in their journal alone until Perch starts, or this does. A Perch that runs has done so. */
async function restoreJournaled(dataDir: string, log: Logger): Promise<void> {
  const dir = join(dataDir, 'content');
  const segments = await readdir(join(dir, 'journal')).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const lock = segments.length > 0 ? lockUnlessInUse(dataDir) : null;
  if (lock === null) return;
  try {
    const store = await createDiskBlobStore({ dir, log });
    await store.close();
  } finally {
    lock.release();
  }
}

function lockUnlessInUse(dataDir: string): FolderLock | null {
  try {
    return lockFolder(dataDir);
  } catch (error) {
    if (error instanceof FolderInUse) return null;
    throw new ToolError(
      `Blobs may be in the journal alone, and no Perch runs that could have restored them. ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** Reads only: Perch may be running, and to open its store as it does would remove its uploads under way. */
const readBlobFolder = (folder: string): Source['blobs'] => ({
  async open(key) {
    assertBlobKey(key);
    const file = await open(join(folder, key), 'r').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (file === null) {
      // A store that is not mounted is not one that lacks a blob.
      await access(folder);
      return null;
    }
    const { size } = await file.stat();
    await file.close();
    return { size, body: Bun.file(join(folder, key)).stream() };
  },
});

/** Tells whether two instances sign with one secret, without telling the secret. `null` when there is none. */
export async function cookieSecretMark(settings: StoreSettings): Promise<string | null> {
  const secret = settings.cookieSecret ?? (await secretInFolder(settings));
  return secret === null ? null : createHmac('sha256', secret).update('perch backup').digest('hex');
}

/** The secret that a Perch has made for itself. A cluster has all it keeps in S3 and a folder of its own. */
async function secretInFolder({ dataDir, pgUrl, s3 }: StoreSettings): Promise<string | null> {
  const folders = pgUrl !== null && s3 !== null ? [join(dataDir, 'cluster'), dataDir] : [dataDir];
  for (const folder of folders) {
    const secret = (await readFile(join(folder, 'cookie-secret'), 'utf8').catch(() => '')).trim();
    if (secret !== '') return secret;
  }
  return null;
}

/** Where a restored Perch will keep its data. */
interface Target {
  databaseUrl: string;
  blobs: BlobStore;
  /**
   * Forgets the cached records, values and view counters of the previous data: they may be newer than the restored ones,
   * and would never be overwritten.
   */
  forgetCached(): Promise<void>;
}

/** Opens, for this process alone, what the settings name. Given back with `opened`. */
export async function openTarget(
  settings: StoreSettings,
  log: Logger,
  opened: AsyncDisposableStack,
): Promise<Target> {
  const { pgUrl, s3, redisUrl, dataDir } = settings;
  if (pgUrl === null || s3 === null || redisUrl === null)
    opened.adopt(lockFolder(dataDir), (lock) => lock.release());
  const forgetCached = redisUrl === null ? forgetSavedViews(dataDir) : await loadCacheReset(redisUrl, opened);
  const blobs = opened.adopt(
    await (s3 === null ? createDiskBlobStore({ dir: join(dataDir, 'content'), log }) : createS3BlobStore(s3)),
    (store) => store.close(),
  );
  const databaseUrl =
    pgUrl ?? opened.adopt(await startEmbeddedPostgres({ dataDir, log }), (server) => server.stop()).url;
  return { databaseUrl, blobs, forgetCached };
}

/** One connection for statements that take as long as a table is large. Closed with `opened`. */
export const openToolDatabase = (url: string, log: Logger, opened: AsyncDisposableStack): Database =>
  opened.adopt(
    openDatabase(url, {
      log,
      maxConnections: 1,
      statementTimeoutMs: STATEMENT_LIMIT_MS,
      plainColumns: true,
    }),
    (client) => client.end({ timeout: 1 }),
  );

const forgetSavedViews = (dataDir: string) => () => rm(join(dataDir, 'views.json'), { force: true });

/** Imported on demand: a backup needs no Redis client. */
async function loadCacheReset(
  redisUrl: string,
  opened: AsyncDisposableStack,
): Promise<Target['forgetCached']> {
  const { openCacheReset } = await import('./cache-reset.ts');
  return await openCacheReset(redisUrl, opened);
}
