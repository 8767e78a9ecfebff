import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { openDatabase } from '../../../shared/adapters/database/postgres.ts';
import type { Database } from '../../../shared/items/sql.ts';
import { foldAll, loadGalleryItems } from '../gallery-items.ts';
import type { Bench } from '../measurement.ts';
import { pageBytes } from '../page-bytes.ts';
import { type Perch, publish, startPerch } from '../perch.ts';
import { count, seconds } from '../table.ts';
import { loadLogRows } from './log-rows.ts';

/** A Perch of its own with so many items and entries of the access log. */
export interface Stage extends Perch {
  items: number;
  logRows: number;
  /** A folder of its own. */
  dir: string;
  /** The path of a page. */
  page: string;
  /** The database, past the services. */
  sql: Database;
}

export const ADMIN_PASSWORD = 'growth-bench';

/** Items of one owner: lists of an owner are as long with many items as with few. */
const ITEMS_PER_OWNER = 100;
/** Longest statement of the loading, in ms. */
const STATEMENT_LIMIT_MS = 3_600_000;
/** Sweeps run at the start only: one is timed by itself. */
const SWEEP_INTERVAL_SECONDS = '86400';

/** Starts a Perch and loads its database. It is stopped at the end of the measurement. */
export async function prepareStage(bench: Bench, items: number, logRows: number): Promise<Stage> {
  const dir = join(bench.dir, `of-${items}`);
  await mkdir(dir);
  // The database server runs as a user of its own and must get in.
  await chmod(dir, 0o755);
  const perch = await startPerch({ ...bench, dir }, { ADMIN_PASSWORD, SWEEP_INTERVAL_SECONDS });
  const sql = openDatabase(perch.servers.env.PG_URL ?? '', {
    log: pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true })),
    maxConnections: 1,
    statementTimeoutMs: STATEMENT_LIMIT_MS,
  });
  bench.defer(() => sql.end({ timeout: 1 }));
  const step = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const began = performance.now();
    await work();
    bench.progress(`${what}: ${seconds(performance.now() - began)}`);
  };
  await step(`${count(items)} items`, () =>
    loadGalleryItems(sql, items, { owners: items / ITEMS_PER_OWNER }),
  );
  await step(`${count(logRows)} entries of the log`, () => loadLogRows(sql, logRows, Date.now()));
  // As the services and autovacuum do by themselves after a while.
  await step('totals and vacuum', async () => {
    await foldAll(sql);
    await sql`vacuum analyze`;
    await sql`checkpoint`;
  });
  const published = await publish(perch.url, pageBytes(0));
  const page = `/${published.namespace}/${published.id}`;
  return { ...perch, items, logRows, dir, page, sql };
}
