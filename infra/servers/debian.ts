import { existsSync, globSync } from 'node:fs';

/** Which Debian packages bring a command. Chromium draws text only with a font installed. */
const packagesOf = {
  postgres: ['postgresql'],
  'redis-server': ['redis-server'],
  'nats-server': ['nats-server'],
  'swift-proxy-server': ['swift-proxy'],
  'swift-account-server': ['swift-account'],
  'swift-container-server': ['swift-container'],
  'swift-object-server': ['swift-object'],
  memcached: ['memcached'],
  chromium: ['chromium', 'fonts-liberation'],
  'chromium-headless-shell': ['chromium-headless-shell', 'fonts-liberation'],
  caddy: ['caddy'],
  nginx: ['nginx'],
  wrk: ['wrk'],
  webdis: ['webdis'],
  unzip: ['unzip'],
  setpriv: ['util-linux'],
  unshare: ['util-linux'],
  patroni: ['patroni'],
  etcd: ['etcd-server'],
  'mkfs.ext4': ['e2fsprogs'],
  'mkfs.xfs': ['xfsprogs'],
  xfs_io: ['xfsprogs'],
  mmdebstrap: ['mmdebstrap'],
  slirp4netns: ['slirp4netns'],
  clamd: ['clamav-daemon'],
  openssl: ['openssl'],
} as const satisfies Record<string, readonly string[]>;

export type Command = keyof typeof packagesOf;

/** Debian keeps these off the PATH of ordinary users, though they may run what lies there. */
const SYSTEM_PATH = '/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin';

const INSTALL_SCRIPT = `${import.meta.dirname}/debian-install.sh`;

/** Debian puts the PostgreSQL server in a folder per major version, outside of every PATH. */
function newestPostgres(): string | null {
  const found = globSync('/usr/lib/postgresql/*/bin/postgres');
  const version = (path: string) => Number(path.split('/')[4]);
  return found.sort((a, b) => version(b) - version(a))[0] ?? null;
}

function findCommand(command: Command): string | null {
  const onPath = Bun.which(command) ?? Bun.which(command, { PATH: SYSTEM_PATH });
  return onPath ?? (command === 'postgres' ? newestPostgres() : null);
}

/** The absolute path of an installed command; throws when it is not installed. */
export function commandPath(command: Command): string {
  const path = findCommand(command);
  if (path === null) throw new Error(`${command} is not installed`);
  return path;
}

export function isDebian(): boolean {
  return existsSync('/etc/debian_version') && Bun.which('apt-get', { PATH: SYSTEM_PATH }) !== null;
}

function explainMissing(missing: readonly string[], packages: readonly string[]): string {
  const command = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  return `not installed on this machine: ${missing.join(', ')}. On Debian, install with (as root):\n  ${command}`;
}

async function install(packages: readonly string[]): Promise<void> {
  process.stderr.write(`installing ${packages.join(' ')} with apt-get\n`);
  const run = Bun.spawn(['sh', INSTALL_SCRIPT, ...packages], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
  if (run.exitCode === 0) return;
  const tail = `${output}\n${errors}`.trim().split('\n').slice(-30).join('\n');
  throw new Error(`apt-get ended with ${run.exitCode ?? run.signalCode}:\n${tail}`);
}

let installing: Promise<void> = Promise.resolve();

/**
 * Makes sure that commands are there. On Debian, as root, what is missing is installed with apt-get, and the daemons
 * of the packages are kept from starting. Anywhere else a missing command is an error that says what to install.
 */
export async function ensureCommands(commands: readonly Command[]): Promise<void> {
  const missingNow = () => commands.filter((command) => findCommand(command) === null);
  const turn = installing
    .catch(() => undefined)
    .then(async () => {
      const missing = missingNow();
      if (missing.length === 0) return;
      const packages = [...new Set(missing.flatMap((command) => packagesOf[command]))];
      if (!isDebian() || process.geteuid?.() !== 0) throw new Error(explainMissing(missing, packages));
      await install(packages);
      const still = missingNow();
      if (still.length > 0) throw new Error(explainMissing(still, packages));
    });
  installing = turn;
  await turn;
}
