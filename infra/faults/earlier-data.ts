import { readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { $ } from 'bun';
import type { Server } from '../servers/server.ts';

/** The data folder of each server, inside its own folder. */
const DATA = { redis: 'appendonlydir', postgres: 'data' };

/**
 * Copies a server's data, so that it can go back to them: as a volume's snapshot, a backup by copy or a standby that lags
 * does. Redis may run meanwhile, as its append-only file is good up to wherever it was copied; PostgreSQL must not.
 * @returns kills the server, tells that it is down, and starts it on the copy
 */
export async function keepEarlierData(
  server: Server,
  kind: keyof typeof DATA,
): Promise<(whenDown?: () => void) => Promise<void>> {
  const data = join(dirname(server.logFile), DATA[kind]);
  const copy = `${data}.earlier`;
  await rm(copy, { recursive: true, force: true });
  await $`cp -a ${data} ${copy}`.quiet();
  return async (whenDown) => {
    await server.kill();
    whenDown?.();
    await rm(data, { recursive: true, force: true });
    await rename(copy, data);
    await server.start();
  };
}

/**
 * Notes how long Redis' append-only file is.
 * @returns cuts the file of the killed server there, as a crash of its machine does that comes before the next sync
 */
export async function noteLastSecond(redis: Server): Promise<() => Promise<void>> {
  const folder = join(dirname(redis.logFile), DATA.redis);
  const before = await appendedFile(folder);
  return async () => {
    const now = await appendedFile(folder);
    if (now.path !== before.path) throw new Error('Redis has rewritten its append-only file meanwhile');
    await truncate(before.path, before.size);
  };
}

/** The file of the folder that Redis appends to. */
async function appendedFile(folder: string): Promise<{ path: string; size: number }> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.incr.aof'));
  const [name] = names;
  if (name === undefined || names.length > 1) throw new Error(`Redis appends to ${names.length} files`);
  const path = join(folder, name);
  return { path, size: (await stat(path)).size };
}
