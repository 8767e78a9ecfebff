import { afterAll, beforeAll } from 'bun:test';
import { open, rm } from 'node:fs/promises';
import pino from 'pino';
import { type Manifest, readManifest } from '../../infra/backup/manifest.ts';
import { verifyBackup } from '../../infra/backup/verify.ts';
import { openDatabase } from '../../shared/adapters/database/postgres.ts';
import type { Database } from '../../shared/items/sql.ts';
import { START_LIMIT_MS, temporaryFolder, useServers } from '../servers.ts';
import { createStoredPerch, type StoredPerch } from './stored-perch.ts';

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
    /** @param schema the newest migration; 0: an empty database */
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
