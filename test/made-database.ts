import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'bun';
import { QUICK_SETTINGS } from '../infra/quick-settings.ts';
import { startService } from '../infra/service-process.ts';
import { oncePerRun } from './once-per-run.ts';

/** Where an embedded Perch keeps its database within DATA_DIR (docs/operations.md). */
const DATABASE = 'postgres';

/** A database as an embedded Perch leaves it that was started and stopped. */
const madeDatabase = oncePerRun(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'perch-made-database-'));
  // The database server runs as a user of its own; where it cannot get in, its files go elsewhere.
  await chmod(dir, 0o755);
  const none = { PG_URL: undefined, REDIS_URL: undefined, NATS_URL: undefined, S3_ENDPOINT: undefined };
  const env = { ...none, ...QUICK_SETTINGS, DATA_DIR: join(dir, 'data') };
  const perch = await startService('embedded', { dir, env });
  await perch.stop();
  return { dir: join(dir, 'data', DATABASE), stop: () => rm(dir, { recursive: true, force: true }) };
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
  // It belongs to a user of its own, and stays so.
  await $`cp --archive ${dir} ${join(dataDir, DATABASE)}`.quiet();
}
