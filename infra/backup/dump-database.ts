import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { listDays } from '../../services/analytics/repository/days.ts';
import type { Database, Query } from '../../shared/items/sql.ts';
import {
  assertSequencesReadable,
  listSequences,
  listTables,
  quoted,
  schemaOf,
  type Table,
} from './catalogue.ts';
import { writeWithDigest } from './file-digest.ts';
import type { Manifest, TableFile } from './manifest.ts';
import { ToolError } from './run-tool.ts';

export interface Dump extends Pick<Manifest, 'schema' | 'logDays' | 'tables' | 'sequences' | 'madeAt'> {
  /** How many blobs the items have. */
  blobCount: number;
}

interface DumpOptions {
  /** The backup's folder, and the one in it that gets the files. */
  folder: string;
  data: string;
  withLog: boolean;
  onTable(name: string, rows: number): void;
}

/** The file that lists the blobs of the snapshot's items: key, SHA-256 and size where known, namespace, id. */
export const WANTED = 'wanted.tsv';

/**
 * The blobs of all items, and of their pictures. Of an item's content blob the database knows hash and size, which the
 * store's are compared with.
 */
const blobsOf = (tables: readonly Table[]): string => `
  select * from (
    select field.value as key, case when field.key = 'blobKey' then content ->> 'sha256' end,
      case when field.key = 'blobKey' then size_bytes end, namespace, id
    from items, jsonb_each_text(content) as field
    where field.key in ('blobKey', 'viewKey', 'indexKey') and field.value is not null
    ${tables.some(({ name }) => name === 'item_pictures') ? OF_PICTURES : ''}
  ) as wanted
  order by key collate "C"`;

/** An earlier release has no pictures. */
const OF_PICTURES = `
    union all
    select picture.blob_key, null, null, namespace, id
    from item_pictures as picture join items using (code) where picture.blob_key is not null`;

/**
 * Writes every table as it is at one moment. The transaction ends with the last table; nobody waits for it but a
 * migration, and the sweep that drops old days of the access log. After a failure it ends with the connection of `sql`, which
 * is of no more use.
 */
export async function dumpDatabase(sql: Database, options: DumpOptions): Promise<Dump> {
  const { folder, data, withLog, onTable } = options;
  const expected = await listTables(sql, withLog);
  if (!expected.some(({ name }) => name === 'items')) {
    throw new ToolError('This database holds no Perch. Check PG_URL or DATA_DIR.');
  }
  await assertSequencesReadable(sql);
  const broken = Promise.withResolvers<never>();
  const dumped = sql.begin('isolation level repeatable read read only', async (tx) => {
    // Before the snapshot, which the first query takes: it then fits the tables.
    await tx.unsafe(`lock table ${expected.map(({ name }) => quoted(name)).join(', ')} in access share mode`);
    const tables = await listTables(tx, withLog);
    if (JSON.stringify(tables) !== JSON.stringify(expected)) {
      throw new ToolError('The schema has just been changed. Run it again.');
    }
    const madeAt = new Date().toISOString();
    const written: TableFile[] = [];
    for (const table of tables) {
      const file = `${data}/${table.name}.copy`;
      const { bytes, lines, sha256 } = await copyOut(tx, rowsOf(table), join(folder, file), broken.reject);
      written.push({ ...table, file, rows: lines, bytes, sha256 });
      onTable(table.name, lines);
    }
    const wanted = await copyOut(tx, blobsOf(tables), join(folder, data, WANTED), broken.reject);
    return {
      madeAt,
      schema: await schemaOf(tx),
      logDays: withLog ? await listDays(tx) : [],
      tables: written,
      // Sequences know no snapshots: these are at least as high as what was written.
      sequences: await listSequences(tx),
      blobCount: wanted.lines,
    };
  });
  return await Promise.race([dumped, broken.promise]);
}

const rowsOf = ({ name, columns }: Table): string =>
  `select ${columns.map(quoted).join(', ')} from ${quoted(name)}`;

/**
 * Writes the rows of a query into a file. When that fails it tells `onBroken` why, and never settles: the client (postgres
 * 3.4.9) sends no ROLLBACK during a copy, and waits for ever for its answer where it has paused its socket.
 */
async function copyOut(tx: Query, query: string, path: string, onBroken: (reason: unknown) => void) {
  const rows = (await (tx as Database).unsafe(`copy (${query}) to stdout`).readable()) as Readable;
  const digest = await writeWithDigest(path, rows).catch((error: unknown) => {
    onBroken(error);
    return new Promise<never>(() => undefined);
  });
  // The client pauses its socket when rows come too fast, and resumes it when more is asked for: never, when the last row
  // came together with the end.
  rows._read(0);
  return digest;
}
