import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'bun';
import { asUser } from './server.ts';

const FALLBACK_ROOT = '/var/lib/perch';
const ORIGIN_FILE = 'origin';

/** The user PostgreSQL runs as: it refuses root, and Debian's package brings this one. Undefined: the current user. */
export const postgresUser = process.geteuid?.() === 0 ? 'postgres' : undefined;

async function own(folder: string): Promise<void> {
  if (postgresUser !== undefined) await $`chown ${postgresUser}: ${folder}`.quiet();
}

async function canReach(folder: string): Promise<boolean> {
  const test = await $`setpriv ${asUser(postgresUser)} -- test -w ${folder} -a -x ${folder}`
    .quiet()
    .nothrow();
  return test.exitCode === 0;
}

/** Removes fallback folders whose original folder is gone, such as a test run's. */
async function removeForsaken(): Promise<void> {
  for (const name of await readdir(FALLBACK_ROOT)) {
    const folder = join(FALLBACK_ROOT, name);
    const origin = await readFile(join(folder, ORIGIN_FILE), 'utf8').catch(() => null);
    if (origin !== null && !existsSync(origin)) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * A folder for the database that its user can reach: `dir`, or, below a closed folder such as a home of mode 700,
 * `/var/lib/perch/<hash of dir>`.
 */
export async function postgresFolder(dir: string): Promise<string> {
  await mkdir(dir, { recursive: true });
  await own(dir);
  if (await canReach(dir)) return dir;
  const fallback = join(FALLBACK_ROOT, createHash('sha256').update(dir).digest('hex').slice(0, 16));
  await mkdir(fallback, { recursive: true });
  await writeFile(join(fallback, ORIGIN_FILE), dir);
  await own(fallback);
  if (!(await canReach(fallback)))
    throw new Error(`user ${postgresUser} can reach neither ${dir} nor ${fallback}`);
  await removeForsaken();
  return fallback;
}
