import { afterAll, beforeAll } from 'bun:test';
import { createHash } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import { type Manifest, readManifest } from '../../infra/backup/manifest.ts';
import { verifyBackup } from '../../infra/backup/verify.ts';
import { createDiskBlobStore } from '../../shared/adapters/blob/disk/store.ts';
import { migrate } from '../../shared/adapters/database/migrate.ts';
import { openDatabase } from '../../shared/adapters/database/postgres.ts';
import { newBlobKey } from '../../shared/ids.ts';
import type { Database } from '../../shared/items/sql.ts';
import type { BlobStore } from '../../shared/ports/blob-store.ts';
import { MIGRATIONS } from '../../shared/wiring/migrations.ts';
import { createDatabase, createMigratedDatabase } from '../migrated-database.ts';
import { START_LIMIT_MS, temporaryFolder, useServers } from '../servers.ts';

const log = pino({ level: 'silent' });

/** For a test file, called at its top: Perches that do not run, and a folder for them, gone after its last test. */
export function useStoredPerches() {
  let folder = '';
  const stored: StoredPerch[] = [];
  const clients: Database[] = [];
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(async () => {
    await Promise.all(clients.map((sql) => sql.end({ timeout: 1 })));
    await Promise.all(stored.map((perch) => perch.end()));
    await rm(folder, { recursive: true, force: true });
  }, START_LIMIT_MS);
  const setting = useServers('PG_URL');
  return {
    folder: () => folder,
    /** @param schema its newest migration, all unless given; 0: an empty database */
    async create(schema?: number): Promise<StoredPerch> {
      const perch = await createStoredPerch(setting('PG_URL'), folder, schema);
      stored.push(perch);
      return perch;
    },
    /** Opens its database with the services' settings. */
    open({ env }: StoredPerch): Database {
      const options = { log: pino({ level: 'silent' }), maxConnections: 2, statementTimeoutMs: 5_000 };
      const sql = openDatabase(env.PG_URL, options);
      clients.push(sql);
      return sql;
    },
    serverUrl: () => setting('PG_URL'),
  };
}

/** The rows of a table, in an order that does not depend on where they lie. */
export const rowsOf = async ({ sql }: StoredPerch, table: string): Promise<string[]> =>
  Array.from(await sql`select * from ${sql(table)}`)
    .map((row) => JSON.stringify(row))
    .sort();

/** Verifies a backup; returns the defect, or `whole`. */
export async function checkFolder(folder: string): Promise<string> {
  try {
    const manifest: Manifest = await readManifest(folder);
    await verifyBackup(folder, manifest, () => undefined);
    return 'whole';
  } catch (error) {
    return String(error);
  }
}

/** Changes one bit of a file. */
export async function flip(path: string, at: number): Promise<void> {
  const file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  await file.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at);
  await file.close();
}

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

/** @param schema its newest migration, all unless given; 0: an empty database */
async function createStoredPerch(serverUrl: string, folder: string, schema?: number): Promise<StoredPerch> {
  const { name, url, drop } = await (schema === undefined ? createMigratedDatabase : createDatabase)(
    serverUrl,
  );
  if (schema !== undefined && schema !== 0)
    await migrate(url, { directory: MIGRATIONS, log: pino({ level: 'silent' }), upTo: schema });
  const dataDir = join(folder, name);
  await mkdir(dataDir);
  const content = join(dataDir, 'content');
  const blobs = await createDiskBlobStore({ dir: content, log });
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
