import type { ItemRef } from '../../../shared/items/item.ts';
import { findTombstonesSince, forgetTombstones } from '../../../shared/items/registry.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { advanceWatermark, lockWatermark } from '../../../shared/items/watermarks.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { findPagesChangedSince, toRoute } from '../kinds/html.ts';
import { toRemovedRoute } from '../operations/removed-route.ts';
import type { Batch } from './batch.ts';

const BATCH = 500;
const START: ItemRef = { namespace: '', id: '' };

/** Longer than any transaction may run: a change is committed at most this long after its own timestamp. */
const COMMIT_LAG_MS = 60_000;

/**
 * Tells the cache again of every change since the last pass that succeeded: of those it missed while it was away, and
 * of those whose writer died between the commit and the announcement. The version rule makes the rest a no-op.
 * One process at a time. Another that is at it may have begun before the change this one wants told, so this one is
 * tried again.
 */
export async function repairRoutes(deps: ContentDependencies): Promise<Batch> {
  return await deps.sql.begin(async (tx) => {
    const reached = await lockWatermark(tx, 'route-repair');
    if (reached === null) return { done: 0, more: false, retry: true };
    const now = deps.clock.now();
    const since = reached - COMMIT_LAG_MS;
    const sent = (await sendPages(deps, tx, since, now)) + (await sendRemovals(deps, tx, since, now));
    await advanceWatermark(tx, 'route-repair', now);
    await forgetTombstones(tx, since);
    return { done: sent, more: false };
  });
}

async function sendPages(
  { cache }: ContentDependencies,
  tx: Query,
  since: number,
  now: number,
): Promise<number> {
  let after = START;
  for (let sent = 0; ; ) {
    const pages = await findPagesChangedSince(tx, since, after, BATCH);
    const live = pages.filter((page) => page.expiresAt > now);
    await Promise.all(live.map((page) => cache.putRoute(toRoute(page))));
    sent += live.length;
    const last = pages.at(-1);
    if (last === undefined || pages.length < BATCH) return sent;
    after = last;
  }
}

async function sendRemovals(
  { cache }: ContentDependencies,
  tx: Query,
  since: number,
  now: number,
): Promise<number> {
  let after = START;
  for (let sent = 0; ; ) {
    const tombstones = await findTombstonesSince(tx, since, after, BATCH);
    await Promise.all(tombstones.map((tombstone) => cache.putRoute(toRemovedRoute(tombstone, now))));
    sent += tombstones.length;
    const last = tombstones.at(-1);
    if (last === undefined || tombstones.length < BATCH) return sent;
    after = last;
  }
}
