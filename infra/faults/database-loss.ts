import postgres from 'postgres';
import type { Note } from '../load/findings.ts';
import type { Traffic } from '../load/traffic.ts';
import { auditAccessLog, type LoggedCycle, untilSent } from './audit/access-log.ts';
import { openS3Store } from './audit/blobs.ts';
import type { Heal } from './components.ts';
import { type Probe, untilRecovered } from './recovery.ts';

/** The writes that a database restored to an earlier state has lost. */
export interface DatabaseLoss {
  /** Since its copy. */
  from: number;
  /** Until it was down. */
  until: number;
  /** The blobs that were in the store when the copy was made. */
  known: ReadonlySet<string>;
}

export interface DatabaseLossOptions {
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
