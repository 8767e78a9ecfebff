import { join } from 'node:path';
import { expireItems } from '../../../services/content/sweep/expire-items.ts';
import { systemClock } from '../../../shared/clock.ts';
import { loadConfig } from '../../../shared/config.ts';
import { makeBackup } from '../../backup/make-backup.ts';
import { loadGalleryItems } from '../gallery-items.ts';
import type { Stage } from './stage.ts';

/** By then the blobs of what was swept are due, in ms. */
const BLOB_GRACE_MS = 900_000;
/** Items are expired from 31 days on. */
const LONG_AGO_DAYS = 40;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

/** How long the sweep takes for items that have expired, in ms: all that a process of `content` does for them. */
export async function sweep({ sql }: Stage, expired: number): Promise<number> {
  await loadGalleryItems(sql, expired, { prefix: `expired-${expired}`, daysAgo: LONG_AGO_DAYS });
  const deps = { sql, clock: systemClock, blobGraceMs: BLOB_GRACE_MS };
  let done = 0;
  const ms = await timed(async () => {
    for (let more = true; more; ) {
      const batch = await expireItems(deps);
      done += batch.done;
      more = batch.more;
    }
  });
  if (done !== expired) throw new Error(`${done} of ${expired} expired items were swept`);
  return ms;
}

/** How long a backup into an empty folder takes, in ms, the access log included. */
export async function backUp({ dir, servers }: Stage): Promise<number> {
  await using opened = new AsyncDisposableStack();
  const config = loadConfig({ ...servers.env, DATA_DIR: dir });
  const output = { isTTY: false, write: () => undefined };
  return await timed(() => makeBackup(config, { to: join(dir, 'backup'), withLog: true }, output, opened));
}

/** How long it takes from the start of all processes until all are ready, in ms. */
export async function start({ services }: Stage): Promise<number> {
  const processes = Object.values(services.processes).flat();
  await Promise.all(processes.map((process) => process.stop()));
  return await timed(() => Promise.all(processes.map((process) => process.start())));
}
