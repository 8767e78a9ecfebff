import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'bun';
import { findPostmaster } from '../../shared/adapters/database/embedded/process.ts';
import { setAside } from '../../shared/adapters/database/embedded/set-aside.ts';
import { asUser } from './server.ts';

const FALLBACK_ROOT = '/var/lib/perch';
const ORIGIN_FILE = 'origin';

/** A file in the folder that says where its database is when that lies below `FALLBACK_ROOT`. Moves along with the folder. */
const LOCATION_FILE = 'location';

/** Where tests have their folders. A folder elsewhere that is not there may only be moved, or not be mounted. */
const TEMPORARY_ROOTS = [tmpdir(), '/dev/shm'];

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

/** Removes fallback folders of temporary folders that are gone, such as those of test runs. */
async function removeForsaken(): Promise<void> {
  for (const name of await readdir(FALLBACK_ROOT)) {
    const folder = join(FALLBACK_ROOT, name);
    const origin = await readFile(join(folder, ORIGIN_FILE), 'utf8').catch(() => null);
    const isTemporary = TEMPORARY_ROOTS.some((root) => origin?.startsWith(`${root}/`));
    if (origin !== null && isTemporary && !existsSync(origin))
      await rm(folder, { recursive: true, force: true });
  }
}

/** Sets aside the database that an earlier folder of this name had at its fallback. @throws Error when its server runs */
async function makeRoom(fallback: string): Promise<void> {
  const data = join(fallback, 'data');
  const running = await findPostmaster(data);
  if (running !== null)
    throw new Error(
      `PostgreSQL (process ${running.pid}) already runs on ${data}, for a folder that was removed: stop it first`,
    );
  const kept = await setAside(fallback, data);
  if (kept !== null) process.stderr.write(`the database of a folder that was removed is kept in ${kept}\n`);
}

/**
 * A folder for the database that its user can reach: `dir`, or, below a closed folder such as a home of mode 700,
 * `/var/lib/perch/<hash of dir>`, which a file in `dir` names from then on. A `dir` that does not name one gets an empty one.
 * @throws Error when the one that it names is not there
 */
export async function postgresFolder(dir: string): Promise<string> {
  await mkdir(dir, { recursive: true });
  await own(dir);
  const pointer = join(dir, LOCATION_FILE);
  const kept = await readFile(pointer, 'utf8').catch(() => null);
  if (kept !== null) {
    if (!existsSync(kept))
      throw new Error(
        `the database of ${dir} is in ${kept}, which is not there: bring it back, or remove ${pointer} to begin with an empty one`,
      );
    await writeFile(join(kept, ORIGIN_FILE), dir);
    return kept;
  }
  if (await canReach(dir)) return dir;
  const fallback = join(FALLBACK_ROOT, createHash('sha256').update(dir).digest('hex').slice(0, 16));
  await makeRoom(fallback);
  await mkdir(fallback, { recursive: true });
  await writeFile(join(fallback, ORIGIN_FILE), dir);
  await own(fallback);
  if (!(await canReach(fallback)))
    throw new Error(`user ${postgresUser} can reach neither ${dir} nor ${fallback}`);
  await writeFile(pointer, fallback);
  await removeForsaken();
  return fallback;
}
