import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'bun';
import postgres from 'postgres';
import { findPostmaster } from '../shared/adapters/database/embedded/process.ts';
import { serverUrl } from '../shared/adapters/database/embedded/server.ts';
import { embeddedStores, startPerch } from './running-perch.ts';
import { temporaryFolder } from './servers.ts';
import { oncePerRun } from './started.ts';

/** Where an embedded Perch keeps its database within DATA_DIR (docs/operations.md). */
const DATABASE = 'postgres';

/** A database as an embedded Perch leaves it that was started and stopped, but for PostgreSQL's templates. */
const madeDatabase = oncePerRun(async () => {
  const folder = await temporaryFolder();
  const stores = await embeddedStores(folder);
  const dir = join(stores.dir, 'data', DATABASE);
  const perch = await startPerch(stores);
  await dropTemplates(dir);
  await perch.stop();
  return {
    dir,
    stop: () => rm(folder, { recursive: true, force: true }),
  };
});

/** Two thirds of a cluster's thousand files belong to databases that are there to make others from: Perch makes none. */
async function dropTemplates(dir: string): Promise<void> {
  const server = await findPostmaster(join(dir, 'cluster'));
  if (server === null) throw new Error('the embedded database does not run');
  const password = (await readFile(join(dir, 'password'), 'utf8')).trim();
  const sql = postgres(serverUrl(password, server.port), { max: 1, onnotice: () => undefined });
  await sql`update pg_database set datistemplate = false`;
  for (const name of ['template0', 'template1']) await sql`drop database ${sql(name)}`;
  await sql.end();
}

let asked = 0;

/**
 * Gives an embedded Perch that is about to start the empty database of another one: to make it takes most of a first
 * start. The first Perch of a run makes its own, so that a run which starts only one makes only one.
 */
export async function lendDatabase(dataDir: string): Promise<void> {
  asked += 1;
  if (asked === 1) return;
  const { dir } = await madeDatabase();
  await mkdir(dataDir);
  // The database folder keeps its own user.
  await $`cp --archive ${dir} ${join(dataDir, DATABASE)}`.quiet();
}
