import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import { createDiskBlobStore } from '../../shared/adapters/blob/disk.ts';
import { migrate } from '../../shared/adapters/database/migrate.ts';
import { newBlobKey } from '../../shared/ids.ts';
import type { BlobStore } from '../../shared/ports/blob-store.ts';
import { MIGRATIONS } from '../../shared/wiring/migrations.ts';
import { createDatabase } from '../own-database.ts';

/** The storage of a Perch that does not run: a database on a server and blobs in a folder. */
export interface StoredPerch {
  env: { PG_URL: string; DATA_DIR: string };
  sql: postgres.Sql;
  blobs: BlobStore;
  blobPath(key: string): string;
  /** A page as `content` stores it. Returns its blob's key. */
  addPage(id: string, text: string): Promise<string>;
  end(): Promise<void>;
}

/** @param schema the newest migration; 0: an empty database */
export async function createStoredPerch(
  serverUrl: string,
  folder: string,
  schema?: number,
): Promise<StoredPerch> {
  const { name, url, drop } = await createDatabase(serverUrl);
  const log = pino({ level: 'silent' });
  if (schema !== 0)
    await migrate(url, {
      directory: MIGRATIONS,
      log,
      ...(schema === undefined ? {} : { upTo: schema }),
    });
  const dataDir = join(folder, name);
  await mkdir(dataDir);
  const content = join(dataDir, 'content');
  const blobs = await createDiskBlobStore({ dir: content });
  const sql = postgres(url, { max: 2, onnotice: () => undefined });
  return {
    env: { PG_URL: url, DATA_DIR: dataDir },
    sql,
    blobs,
    blobPath: (key) => join(content, 'blobs', key),
    async addPage(id, text) {
      const bytes = Buffer.from(text);
      const blobKey = newBlobKey();
      await blobs.put(blobKey, bytes);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await sql`
        insert into items
          (namespace, id, kind, code, owner_hash, title, tags, ttl_days, size_bytes, content, created_at, updated_at,
           expires_at)
        values
          ('kept', ${id}, 'html', ${`code-${id}`}, 'owner', ${`Title\t of ${id}\\`}, ${['tag\n', 'öß']}, 1,
           ${bytes.length}, ${sql.json({ blobKey, sha256, viewKey: null })}, now(), now(), now() + interval '1 day')`;
      return blobKey;
    },
    async end() {
      await sql.end({ timeout: 1 });
      await blobs.close();
      await drop();
    },
  };
}
