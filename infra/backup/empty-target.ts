import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isConnectionLost } from '../../shared/adapters/database/errors.ts';
import type { Database, Query } from '../../shared/items/sql.ts';
import type { BlobStore } from '../../shared/ports/blob-store.ts';
import { listTables, quoted, schemaOf } from './catalogue.ts';
import type { Manifest } from './manifest.ts';
import { ToolError } from './run-tool.ts';

/** How far passes have come: there before anything was published. */
const BOOKKEEPING = new Set(['watermarks']);
const KEYS_AT_ONCE = 1_000;
/** How long blobs of an interrupted restore stay before they expire, in ms. */
const LEFT_ALONE_MS = 7 * 86_400_000;

const ADVICE = 'Restore into an empty instance: a new database, and a new bucket or DATA_DIR.';

/**
 * @throws ToolError when Perch works on the database, it is not empty, or its schema is not one that the backup fits or may
 * become
 */
export async function assertUsable(sql: Database, { schema }: Manifest, newest: number): Promise<void> {
  const [row] = await sql<Array<{ count: number }>>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'perch' and pid <> pg_backend_pid()`;
  if (row !== undefined && row.count > 0) {
    throw new ToolError(
      `Perch is connected to this database (${row.count} connections). Stop all of its processes first.`,
    );
  }
  if (schema > newest) {
    throw new ToolError(
      `The backup has schema ${schema}, and this release knows ${newest}. Restore it with the release that made it.`,
    );
  }
  await assertEmpty(sql);
  const current = await schemaOf(sql);
  if (current <= schema) return;
  throw new ToolError(
    `The backup has schema ${schema}, and this database already has ${current}. Restore it into a new database, which then gets the newer one.`,
  );
}

/** @throws ToolError that names what is there */
export async function assertEmpty(sql: Query): Promise<void> {
  const full: string[] = [];
  for (const { name } of await listTables(sql, true)) {
    if (BOOKKEEPING.has(name)) continue;
    const rows = await (sql as Database).unsafe(`select from ${quoted(name)} limit 1`);
    if (rows.length > 0) full.push(name);
  }
  if (full.length > 0) {
    throw new ToolError(`This Perch is not empty: there are rows in ${full.join(', ')}. ${ADVICE}`);
  }
}

/** Makes the keys of the backup's blobs the table `backup_blobs` for the rest of the transaction. */
export async function loadBlobList(tx: Query, folder: string, { blobs }: Manifest): Promise<void> {
  await tx`create temp table backup_blobs (key text primary key, size bigint, sha256 text) on commit drop`;
  await copyIn(tx, 'copy backup_blobs from stdin', join(folder, blobs.file));
}

/**
 * Registers the backup's blobs before they are written, like uploads: from a restore that is cut off nothing stays for
 * good. One that was cut off before can go on.
 * @throws ToolError when there are others
 */
export async function registerBlobs(
  sql: Database,
  blobs: BlobStore,
  folder: string,
  manifest: Manifest,
): Promise<void> {
  await sql.begin(async (tx) => {
    // Another restore may have filled them meanwhile: its blobs must not get into the trash.
    await tx`lock table items in share mode`;
    await assertEmpty(tx);
    await loadBlobList(tx, folder, manifest);
    const strangers = await tx`
      select from blob_trash where not exists (select from backup_blobs where key = blob_trash.key) limit 1`;
    if (strangers.length > 0) throw new ToolError(`This Perch has been used for uploads. ${ADVICE}`);
    for await (const keys of grouping(blobs.list())) {
      const [stranger] = await tx<Array<{ key: string }>>`
        select key from unnest(${keys}::text[]) as key
        where not exists (select from backup_blobs where backup_blobs.key = key.key) limit 1`;
      if (stranger !== undefined) {
        throw new ToolError(
          `The content store is not empty: ${stranger.key} is of no item of the backup. ${ADVICE}`,
        );
      }
    }
    await tx`
      insert into blob_trash (key, delete_after, used) select key, ${Date.now() + LEFT_ALONE_MS}, true from backup_blobs
      on conflict (key) do update set delete_after = excluded.delete_after`;
  });
}

async function* grouping(keys: AsyncIterable<string>): AsyncGenerator<string[]> {
  let group: string[] = [];
  for await (const key of keys) {
    group.push(key);
    if (group.length < KEYS_AT_ONCE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Sends a file, in PostgreSQL's text format, into a table. */
export async function copyIn(
  tx: Query,
  command: string,
  path: string,
  onChunk: (chunk: Uint8Array) => void = () => undefined,
): Promise<void> {
  const copy = (tx as Database).unsafe(command);
  const rows = (await copy.writable()) as Writable;
  // The client (postgres 3.4.9) reports an error that arrives after all rows are sent, such as a duplicate key, only to
  // the statement, which has settled with `rows`: the rows would never end. A lost connection is left to the
  // transaction, which rejects: a ROLLBACK on that connection would end the process.
  const refused = Promise.withResolvers<never>();
  Reflect.set(copy, 'reject', (error: unknown) => {
    if (!isConnectionLost(error)) refused.reject(error);
  });
  const sent = pipeline(
    createReadStream(path, { highWaterMark: 262_144 }),
    async function* (source: AsyncIterable<Uint8Array>) {
      for await (const chunk of source) {
        onChunk(chunk);
        yield chunk;
      }
    },
    rows,
  );
  await Promise.race([sent, refused.promise]);
}
