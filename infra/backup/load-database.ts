import { join } from 'node:path';
import { makeDays } from '../../services/analytics/repository/days.ts';
import type { Database, Query } from '../../shared/items/sql.ts';
import { listTables, quoted } from './catalogue.ts';
import { copyIn } from './copy-in.ts';
import { assertEmpty } from './empty-target.ts';
import { createDigester } from './file-digest.ts';
import type { Manifest, TableFile } from './manifest.ts';
import { loadBlobList } from './register-blobs.ts';
import { ToolError } from './run-tool.ts';
import { damaged } from './verify.ts';

/**
 * Numbers that were given out after the backup are not given out again: a client may still have one as an ETag, or a
 * forgotten cache as a version.
 */
const SEQUENCE_GAP = 1_000_000_000;

interface LoadOptions {
  folder: string;
  manifest: Manifest;
  /** Idempotency keys of creates hold tokens that only the secret of the backup can make again. */
  withIdempotencyKeys: boolean;
  onTable(name: string, rows: number): void;
  /** The last thing before the commit. */
  beforeCommit(): Promise<void>;
}

/**
 * Fills the tables and takes the blobs out of the trash, all in one transaction. Days of the log are left without indexes of their
 * own, which the schema of the backup may not have room for.
 */
export async function loadDatabase(sql: Database, options: LoadOptions): Promise<void> {
  const { folder, manifest, withIdempotencyKeys, onTable } = options;
  if (manifest.logDays.length > 0) await makeDays(sql, manifest.logDays, { isIndexed: false });
  await sql.begin(async (tx) => {
    const known = await listTables(tx, true);
    // A role without the right to change a table cannot lock it either: the load of its rows locks the audit trail.
    const lockable = known.filter(({ name }) => name !== 'audit_trail');
    const names = lockable.map(({ name }) => quoted(name)).join(', ');
    await (tx as Query as Database).unsafe(`lock table ${names}, blob_trash in access exclusive mode`);
    await assertEmpty(tx);
    await claimBlobs(tx, folder, manifest);
    await tx`delete from watermarks`;
    for (const table of manifest.tables) {
      if (!known.some(({ name }) => name === table.name))
        throw new ToolError(
          `The backup holds a table ${table.name}, which schema ${manifest.schema} has not.`,
        );
      await loadTable(tx, folder, table);
      onTable(table.name, table.rows);
    }
    if (!withIdempotencyKeys) await tx`delete from create_receipts`;
    for (const { name, value } of manifest.sequences)
      await tx`select setval(${quoted(name)}::regclass, ${value + SEQUENCE_GAP}::bigint)`;
    await options.beforeCommit();
  });
  await sql`analyze`;
}

/** The totals are restored as they were, so what counts changes is still meanwhile. */
async function loadTable(tx: Query, folder: string, table: TableFile): Promise<void> {
  const { name, columns, file, bytes, sha256 } = table;
  const run = (text: string) => (tx as Database).unsafe(text);
  await run(`alter table ${quoted(name)} disable trigger user`);
  const digester = createDigester();
  const into = `${quoted(name)} (${columns.map(quoted).join(', ')})`;
  await copyIn(tx, `copy ${into} from stdin`, join(folder, file), digester.take);
  await run(`alter table ${quoted(name)} enable trigger user`);
  const read = digester.digest();
  if (read.bytes !== bytes || read.sha256 !== sha256) throw damaged(file);
}

async function claimBlobs(tx: Query, folder: string, manifest: Manifest): Promise<void> {
  await loadBlobList(tx, folder, manifest);
  const { count } =
    await tx`delete from blob_trash using backup_blobs where blob_trash.key = backup_blobs.key`;
  if (count !== manifest.blobs.count) {
    throw new ToolError('Another process works on this database. Stop it, and restore again.');
  }
}
