import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'bun';
import { oncePerRun } from './once-per-run.ts';
import { embeddedStores, startPerch } from './running-perch.ts';
import { temporaryFolder } from './servers.ts';

/** Where an embedded Perch keeps its database within DATA_DIR (docs/operations.md). */
const DATABASE = 'postgres';

/** A database as an embedded Perch leaves it that was started and stopped. */
const madeDatabase = oncePerRun(async () => {
  const folder = await temporaryFolder();
  const stores = await embeddedStores(folder);
  await (await startPerch(stores)).stop();
  return {
    dir: join(stores.dir, 'data', DATABASE),
    stop: () => rm(folder, { recursive: true, force: true }),
  };
});

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
