import { REPOST_HOURS } from '../../../shared/items/item.ts';
import { REMOVED_RECORD_MS } from '../../../shared/items/item-record.ts';
import { COMMIT_LAG_MS, REMEMBERED_MS } from '../../../shared/items/repair-pass.ts';
import { readWatermark } from '../../../shared/items/watermarks.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { KvDependencies } from '../dependencies.ts';
import { forgetIdempotencyKeys } from '../repository/idempotency-keys.ts';
import { forgetRemoval, takeOldRemovals } from '../repository/removed-entries.ts';
import { WATERMARK } from './repair-entries.ts';

const CHANGES_AT_ONCE = 1_000;

/** Forgets the answers to changes under idempotency keys that are so old that a repeated change counts as new. */
export async function forgetChanges({ sql, clock }: Pick<KvDependencies, 'sql' | 'clock'>): Promise<Batch> {
  const done = await forgetIdempotencyKeys(sql, clock.now() - REPOST_HOURS * 3_600_000, CHANGES_AT_ONCE);
  return { done, more: done === CHANGES_AT_ONCE };
}

const REMOVALS_AT_ONCE = 500;

/**
 * Forgets some removals of keys, in the database and the cache, once no late cache fill can bring a key back and no repair
 * pass needs them.
 */
export async function forgetRemovals({ sql, cache, clock }: KvDependencies): Promise<Batch> {
  return await sql.begin(async (tx) => {
    const told = (await readWatermark(tx, WATERMARK)) - COMMIT_LAG_MS - REMEMBERED_MS;
    const removals = await takeOldRemovals(
      tx,
      Math.min(told, clock.now() - REMOVED_RECORD_MS),
      REMOVALS_AT_ONCE,
    );
    await Promise.all(removals.map((removal) => cache.forgetEntry(removal, removal.key, removal.sequence)));
    for (const removal of removals) await forgetRemoval(tx, removal);
    return { done: removals.length, more: removals.length === REMOVALS_AT_ONCE };
  });
}
