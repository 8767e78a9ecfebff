import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { $ } from 'bun';
import type { Server } from '../servers/server.ts';

/** What of a server's folder is its data. */
const DATA = { redis: 'appendonlydir', postgres: 'data' };

/**
 * Copies a server's data, so that it can go back to them: as a volume's snapshot, a backup by copy or a standby that lags
 * does. Redis may run meanwhile, as its append-only file is good up to wherever it was copied; PostgreSQL must not.
 * @returns kills the server and starts it on the copy
 */
export async function keepEarlierData(server: Server, kind: keyof typeof DATA): Promise<() => Promise<void>> {
  const data = join(dirname(server.logFile), DATA[kind]);
  const copy = `${data}.earlier`;
  await rm(copy, { recursive: true, force: true });
  await $`cp -a ${data} ${copy}`.quiet();
  return async () => {
    await server.kill();
    await rm(data, { recursive: true, force: true });
    await rename(copy, data);
    await server.start();
  };
}
