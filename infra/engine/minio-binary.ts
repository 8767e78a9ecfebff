import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { minioPath } from '../servers/minio.ts';
import { cacheFolder } from './cache-folder.ts';
import { runToEnd } from './engine.ts';

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
