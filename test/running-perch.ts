import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startServices } from '../infra/distributed.ts';
import { NO_SERVERS, QUICK_SETTINGS } from '../infra/environment.ts';
import { startService } from '../infra/service-process.ts';
import type { Mode } from './instance.ts';
import { createDatabase } from './migrated-database.ts';

/** Where a Perch keeps its data, whether it runs or not. */
export interface Stores {
  mode: Mode;
  env: Record<string, string>;
  /** The folder of its logs and uploads; in embedded mode of its data, too. */
  dir: string;
  drop(): Promise<void>;
}

export interface RunningPerch {
  url: string;
  stop(): Promise<void>;
}

/** A folder for an embedded Perch, which is not there yet. */
export async function embeddedStores(folder: string, env: Record<string, string> = {}): Promise<Stores> {
  const dir = join(folder, randomBytes(6).toString('hex'));
  await mkdir(dir);
  return {
    mode: 'embedded',
    env: { ...QUICK_SETTINGS, ...env, DATA_DIR: join(dir, 'data') },
    dir,
    drop: async () => undefined,
  };
}

/** An empty database and the name of a bucket that is not there yet, on servers that others may use, too. */
export async function distributedStores(
  folder: string,
  servers: Record<string, string>,
  env: Record<string, string> = {},
): Promise<Stores> {
  const { name, url, drop } = await createDatabase(servers.PG_URL ?? '');
  const dir = join(folder, name);
  await mkdir(dir);
  return {
    mode: 'distributed',
    env: {
      ...QUICK_SETTINGS,
      ...servers,
      COOKIE_SECRET: randomBytes(32).toString('hex'),
      UPLOAD_DIR: join(dir, 'uploads'),
      ...env,
      PG_URL: url,
      S3_BUCKET: name.replace('_', '-'),
    },
    dir,
    drop,
  };
}

/** Starts the processes of this release. One distributed Perch at a time on the same servers. */
export async function startPerch({ mode, env, dir }: Stores): Promise<RunningPerch> {
  if (mode === 'embedded') {
    const { url, stop } = await startService('embedded', { dir, env: { ...NO_SERVERS, ...env } });
    return { url, stop };
  }
  const counts = { gateway: 1, content: 1, kv: 1, site: 1, analytics: 1 };
  const { processes, stop } = await startServices({ dir, env, counts });
  return { url: processes.gateway[0]?.url ?? '', stop };
}
