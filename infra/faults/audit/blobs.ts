import postgres from 'postgres';
import { createS3BlobStore } from '../../../shared/adapters/blob/s3.ts';
import { inLanes } from '../../../shared/in-lanes.ts';
import { s3ConfigOf } from '../../servers/all.ts';

export interface BlobAudit {
  /** In the store, but of no item. */
  orphans: string[];
  /** Blobs of an item that are not in the store. */
  missing: string[];
  /** How many blobs are as they should be. */
  sound: number;
}

/** A store of blobs, seen past the services. */
export interface AuditedStore {
  keys(): Promise<string[]>;
  /** Asks for the blob itself: the listing of a store that was killed may lag behind. */
  has(key: string): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * A store may take its time for thousands of deletions; but some have to go in this time, in ms. Reserved keys that no upload took stay
 * for BLOB_GRACE_SECONDS, which are 60 in a cluster of the harness.
 */
const PATIENCE_MS = 120_000;

/** Number of concurrent look-ups. */
const AT_ONCE = 16;

/** Waits until the sweeper has nothing left to delete, then compares the store with what the items refer to. */
export async function compareBlobs(
  pgUrl: string,
  openStore: () => Promise<AuditedStore>,
): Promise<BlobAudit> {
  const sql = postgres(pgUrl, { max: 1, onnotice: () => undefined });
  try {
    await untilTrashIsEmpty(sql);
    const rows = await sql<Array<{ key: string }>>`
      select value as key from items, jsonb_each_text(content)
      where key in ('blobKey', 'viewKey', 'indexKey') and value is not null
      union all select blob_key from item_pictures where blob_key is not null`;
    const referred = new Set(rows.map(({ key }) => key));
    const store = await openStore();
    try {
      const stored = new Set(await store.keys());
      const orphans = [...stored].filter((key) => !referred.has(key));
      const unlisted = [...referred].filter((key) => !stored.has(key));
      const found = await inLanes(unlisted, AT_ONCE, store.has);
      const missing = unlisted.filter((_, index) => found[index] === false);
      return { orphans, missing, sound: referred.size - missing.length };
    } finally {
      await store.close();
    }
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function untilTrashIsEmpty(sql: postgres.Sql): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let since = Date.now(); least > 0; ) {
    const [row] = await sql<Array<{ left: number }>>`select count(*)::int as left from blob_trash`;
    const left = row?.left ?? 0;
    if (left < least) since = Date.now();
    least = Math.min(least, left);
    if (Date.now() - since > PATIENCE_MS) throw new Error(`${left} blobs are not deleted`);
    if (left > 0) await Bun.sleep(50);
  }
}

/** The S3 server that the settings name. */
export async function openS3Store(env: Record<string, string>): Promise<AuditedStore> {
  const store = await createS3BlobStore(s3ConfigOf(env));
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
