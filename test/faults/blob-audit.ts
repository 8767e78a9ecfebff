import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import {
  type AuditedStore,
  type BlobAudit,
  compareBlobs,
  openS3Store,
} from '../../infra/faults/audit/blobs.ts';
import { findPostmaster } from '../../shared/adapters/database/embedded/process.ts';
import { serverUrl } from '../../shared/adapters/database/embedded/server.ts';
import type { Instance } from '../instance.ts';

/** Waits until the sweeper has nothing left to delete, then compares the store with what the items refer to. */
export async function auditBlobs(instance: Instance): Promise<BlobAudit> {
  return await compareBlobs(await databaseUrl(instance), () => openStore(instance));
}

/** How many blobs an instance's store holds, seen from outside of Perch. */
export async function countBlobs(instance: Instance): Promise<number> {
  const store = await openStore(instance);
  return (await store.keys().finally(() => store.close())).length;
}

/** The database of an instance, to look into past its services. */
export async function databaseUrl({ env, dir }: Instance): Promise<string> {
  if (env.PG_URL !== undefined) return env.PG_URL;
  const server = await findPostmaster(join(dir, 'postgres', 'cluster'));
  if (server === null) throw new Error('the embedded database does not run');
  return serverUrl((await readFile(join(dir, 'postgres', 'password'), 'utf8')).trim(), server.port);
}

/** Looks into the database of an instance, past its services. */
export async function withDatabase<T>(instance: Instance, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(await databaseUrl(instance), { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function openStore({ mode, env, dir }: Instance): Promise<AuditedStore> {
  return mode === 'embedded' ? openFolder(join(dir, 'content', 'blobs')) : await openS3Store(env);
}

function openFolder(blobs: string): AuditedStore {
  return {
    async keys() {
      const folders = await readdir(blobs);
      const names = await Promise.all(
        folders.map(async (folder) =>
          (await readdir(join(blobs, folder))).map((name) => `${folder}/${name}`),
        ),
      );
      return names.flat();
    },
    has: (key) => Bun.file(join(blobs, key)).exists(),
    async close() {},
  };
}
