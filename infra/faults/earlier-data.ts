import { readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { $ } from 'bun';
import postgres from 'postgres';
import type { Note } from '../load/findings.ts';
import type { Traffic } from '../load/traffic.ts';
import type { Server } from '../servers/server.ts';
import { auditAccessLog, type LoggedCycle, untilSent } from './audit/access-log.ts';
import { openS3Store } from './audit/blobs.ts';
import type { Heal } from './components.ts';
import { type Probe, untilRecovered } from './recovery.ts';

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

/** The writes that a database restored to an earlier state has lost. */
export interface DatabaseLoss {
  /** Since its copy. */
  from: number;
  /** Until it was down. */
  until: number;
  /** The blobs that were in the store when the copy was made. */
  known: ReadonlySet<string>;
}

interface DatabaseLossOptions {
  gateways: string[];
  env: Record<string, string>;
  probes: Probe[];
  traffic: Traffic;
  logged: LoggedCycle;
  note: Note;
  /** Copies the database, which is stopped for it. */
  strike(): Promise<Heal>;
}

/**
 * Has the database copied while nothing is under way.
 * @returns lets it go back to the copy: whatever was acknowledged since then is lost
 */
export async function copyInPause(options: DatabaseLossOptions): Promise<() => Promise<DatabaseLoss>> {
  const { gateways, env, probes, traffic, logged, note } = options;
  const goOn = await traffic.hold();
  // All earlier events have to be in the database first: only then is a missing one known to be lost.
  await untilSent(gateways, note);
  const sql = postgres(env.PG_URL ?? '', { max: 1, onnotice: () => undefined });
  await auditAccessLog(sql, [logged], () => note).finally(() => sql.end({ timeout: 1 }));
  const known = await storedBlobs(env);
  const from = Date.now();
  const heal = await options.strike();
  const copied = await untilRecovered(gateways, probes, performance.now());
  if ('stuck' in copied) note('not-recovered', copied.stuck);
  goOn();
  return async () => {
    let until = from;
    await heal(() => {
      until = Date.now();
      for (const { target } of [...traffic.written, traffic.hotPage]) target.register.loseSince(from);
    });
    return { from, until, known };
  };
}

/** The names of all contents in the store. */
export async function storedBlobs(env: Record<string, string>): Promise<Set<string>> {
  const store = await openS3Store(env);
  return new Set(await store.keys().finally(() => store.close()));
}
