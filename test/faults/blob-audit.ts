import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { createS3BlobStore } from '../../shared/adapters/blob-store-s3.ts';
import { findPostmaster } from '../../shared/adapters/embedded-postgres-process.ts';
import { serverUrl } from '../../shared/adapters/embedded-postgres-server.ts';
import type { Instance } from '../instance.ts';
import { until } from './waiting.ts';

export interface BlobAudit {
  /** In the store, but of no item. */
  orphans: string[];
  /** Of an item, but not in the store. */
  missing: string[];
  /** How many blobs are as they should be. */
  sound: number;
}

/** Waits until the sweeper has nothing left to delete, then compares the store with what the items refer to. */
export async function auditBlobs(instance: Instance): Promise<BlobAudit> {
  const sql = postgres(await databaseUrl(instance), { max: 1, onnotice: () => undefined });
  try {
    await until('the trash is empty', async () => {
      const [row] = await sql<Array<{ left: number }>>`select count(*)::int as left from blob_trash`;
      return row?.left === 0;
    });
    const rows = await sql<Array<{ key: string }>>`
      select value as key from items, jsonb_each_text(content)
      where key in ('blobKey', 'viewKey', 'indexKey') and value is not null`;
    const referred = new Set(rows.map(({ key }) => key));
    const { keys, has, close } = await openStore(instance);
    try {
      const stored = new Set(await keys());
      const orphans = [...stored].filter((key) => !referred.has(key));
      const unlisted = [...referred].filter((key) => !stored.has(key));
      const found = await Promise.all(unlisted.map(has));
      const missing = unlisted.filter((_, index) => found[index] === false);
      return { orphans, missing, sound: referred.size - missing.length };
    } finally {
      await close();
    }
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** The database of an instance, to look into past its services. */
export async function databaseUrl({ mode, env, dir }: Instance): Promise<string> {
  if (mode === 'distributed') return env.PG_URL ?? '';
  const server = await findPostmaster(join(dir, 'postgres', 'cluster'));
  if (server === undefined) throw new Error('the embedded database does not run');
  return serverUrl((await readFile(join(dir, 'postgres', 'password'), 'utf8')).trim(), server.port);
}

interface Store {
  keys(): Promise<string[]>;
  /** Asks for the blob itself: the listing of a store that was killed may lag behind. */
  has(key: string): Promise<boolean>;
  close(): Promise<void>;
}

async function openStore({ mode, env, dir }: Instance): Promise<Store> {
  if (mode === 'embedded') return openFolder(join(dir, 'content', 'blobs'));
  const store = await createS3BlobStore({
    endpoint: env.S3_ENDPOINT ?? '',
    accessKey: env.S3_ACCESS_KEY ?? '',
    secretKey: env.S3_SECRET_KEY ?? '',
    bucket: env.S3_BUCKET ?? '',
    region: env.S3_REGION ?? '',
  });
  return {
    keys: () => Array.fromAsync(store.list()),
    async has(key) {
      const blob = await store.open(key);
      await blob?.body.cancel();
      return blob !== null;
    },
    close: () => store.close(),
  };
}

function openFolder(blobs: string): Store {
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
