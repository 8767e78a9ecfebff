import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { minioPath } from '../servers/s3.ts';
import { cacheFolder, runToEnd } from './engine.ts';

/** Has an engine of version 28, and PostgreSQL 18. */
const SUITE = 'forky';
const PACKAGES = [
  ...[
    'docker.io',
    'docker-cli',
    'docker-compose',
    'docker-buildx',
    'iptables',
    'iproute2',
    'ca-certificates',
  ],
  ...['busybox', 'curl', 'libcap2-bin', 'nodejs'],
  ...['postgresql-18', 'redis-server', 'nats-server', 'caddy', 'prometheus'],
];
const TIME_LIMIT_MS = 20 * 60_000;

/** PostgreSQL's user has the number that the image gives it, and no cluster is made. */
const PREPARE = [
  'mkdir -p "$1/etc/postgresql-common"',
  'echo "create_main_cluster = false" > "$1/etc/postgresql-common/createcluster.conf"',
  'echo postgres:x:999: >> "$1/etc/group"',
  'echo postgres:x:999:999::/var/lib/postgresql:/bin/bash >> "$1/etc/passwd"',
].join('; ');

/**
 * A folder with a Debian that has an engine and the servers. Made once, in a minute or two, and kept in the cache; a change
 * of the list above makes another one.
 */
export async function debianTree(): Promise<string> {
  const version = Bun.hash([SUITE, PREPARE, ...PACKAGES].join(' ')).toString(36);
  const tree = join(cacheFolder(), `debian-${version}`);
  if (existsSync(tree)) return tree;
  process.stderr.write(`making ${tree}: Debian with an engine and the servers\n`);
  await mkdir(cacheFolder(), { recursive: true });
  const unfinished = `${tree}.${process.pid}`;
  try {
    await runToEnd(
      [
        ...['mmdebstrap', '--quiet', '--mode=root', '--variant=minbase'],
        // A mirror may be one of the past.
        '--aptopt=Acquire::Check-Valid-Until "false"',
        ...['doc', 'man', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`),
        `--essential-hook=${PREPARE}`,
        `--include=${PACKAGES.join(',')}`,
        ...[SUITE, unfinished, await mirror()],
      ],
      TIME_LIMIT_MS,
    );
    await rename(unfinished, tree);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(tree)) throw error;
  }
  return tree;
}

/** The mirror that this machine's apt asks. */
async function mirror(): Promise<string> {
  const list = ['apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
  const { output: addresses } = await runToEnd(list);
  return (
    addresses.split('\n').find((address) => /\/debian\/?$/.test(address)) ?? 'http://deb.debian.org/debian'
  );
}

const BUILD_LIMIT_MS = 20 * 60_000;
const BUILT = 'minio';

const go = (): string | null => Bun.which('go') ?? Bun.which('go', { PATH: '/usr/local/go/bin' });

/** Whether there is MinIO's program, or what it can be built with. */
export const canHaveMinio = (): boolean =>
  minioPath() !== null || go() !== null || existsSync(join(cacheFolder(), BUILT));

/** MinIO's program, which no Debian package has: MINIO_BIN, one in the path, or one that Go builds into the cache. */
export async function minioBinary(): Promise<string> {
  const found = minioPath();
  if (found !== null) return found;
  const built = join(cacheFolder(), BUILT);
  if (existsSync(built)) return built;
  process.stderr.write(`building ${built}: a few minutes\n`);
  const install = [go() ?? 'go', 'install', 'github.com/minio/minio@latest'];
  await runToEnd(['env', 'CGO_ENABLED=0', `GOBIN=${cacheFolder()}`, ...install], BUILD_LIMIT_MS);
  return built;
}
