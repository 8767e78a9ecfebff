import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../error-code.ts';
import type { Logger } from '../../../logger.ts';
import { syncPath } from '../../../sync-path.ts';
import type { Account } from './account.ts';
import { type Binaries, runProgram } from './binaries.ts';
import { findPostmaster, stopPostmaster } from './process.ts';

export const ROLE = 'perch';
/** Clusters are made in folders of this name and moved into place when whole: what bears it is never anything else. */
const UNFINISHED = 'unfinished-init-';

export interface ClusterSettings {
  home: string;
  passwordFile: string;
  account: Account | null;
  binaries: Binaries;
  log: Logger;
}

/**
 * Makes sure the cluster `<home>/cluster` exists, and returns its folder and password. A first start that was cut off
 * is done again.
 */
export async function ensureCluster(
  settings: ClusterSettings,
): Promise<{ cluster: string; password: string }> {
  const { home, passwordFile, log } = settings;
  const cluster = join(home, 'cluster');
  await removeUnfinished(home, log);
  const known = await readPassword(passwordFile);
  if (!existsSync(cluster)) {
    const password = known ?? (await createPassword(passwordFile));
    log.info({ folder: cluster }, 'creating the database');
    await createCluster(settings, cluster, password);
    return { cluster, password };
  }
  for (const part of ['PG_VERSION', 'global/pg_control']) {
    if (!existsSync(join(cluster, part))) {
      throw new Error(
        `${cluster} is not a whole PostgreSQL database (${part} is missing). Restore it from a backup, or move it away to start with an empty one.`,
      );
    }
  }
  if (known !== null) return { cluster, password: known };
  log.warn({ passwordFile }, 'the password of the database is missing; setting a new one');
  const password = await resetPassword(settings, cluster);
  return { cluster, password };
}

async function removeUnfinished(home: string, log: Logger): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(UNFINISHED)) continue;
    log.warn({ folder: join(home, name) }, 'removing a database whose creation was cut off');
    // The program that makes it may outlive a killed parent and still write: what then stays goes at the next start.
    await rm(join(home, name), { recursive: true, force: true, maxRetries: 3 }).catch((error: unknown) =>
      log.warn({ error, folder: join(home, name) }, 'could not remove it yet'),
    );
  }
}

async function createCluster(
  { home, account, binaries }: ClusterSettings,
  cluster: string,
  password: string,
): Promise<void> {
  const making = join(home, UNFINISHED + randomBytes(6).toString('hex'));
  await mkdir(making, { mode: 0o700 });
  const secret = join(making, 'password');
  await writeFile(secret, password, { mode: 0o600 });
  if (account !== null) {
    for (const path of [making, secret]) await chown(path, account.uid, account.gid);
  }
  await runProgram(
    binaries.initdb,
    [
      ...['-D', join(making, 'cluster'), `--username=${ROLE}`, `--pwfile=${secret}`, '--auth=scram-sha-256'],
      // Independent of the locales this machine happens to have.
      ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      ...['--text-search-config=english', '--no-instructions'],
    ],
    account,
  );
  await rename(join(making, 'cluster'), cluster);
  await syncPath(home);
  await rm(making, { recursive: true, force: true });
}

async function readPassword(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  return text.trim() || null;
}

async function createPassword(file: string): Promise<string> {
  const password = randomBytes(32).toString('base64url');
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  await writeFile(partial, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
  await rename(partial, file);
  return password;
}

async function resetPassword(
  { passwordFile, account, binaries }: ClusterSettings,
  cluster: string,
): Promise<string> {
  const running = await findPostmaster(cluster);
  if (running !== null) await stopPostmaster(running.pid, cluster);
  const password = randomBytes(32).toString('base64url');
  const partial = `${passwordFile}.reset`;
  await rm(partial, { force: true });
  await writeFile(partial, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
  await runProgram(
    binaries.postgres,
    ['--single', '-D', cluster, 'postgres'],
    account,
    `ALTER ROLE ${ROLE} PASSWORD '${password}';\n`,
  );
  await rename(partial, passwordFile);
  return password;
}
