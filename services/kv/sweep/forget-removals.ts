import type { Query } from '../../../shared/items/sql.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import { forgetRemoval, takeOldRemovals } from '../repository/removed-entries.ts';

const LIMIT = 500;

/** Forgets some removals of keys from before a moment, here and in the cache: no late fill carries them any more. */
export async function forgetRemovals(tx: Query, cache: Cache, before: number): Promise<Batch> {
  const removals = await takeOldRemovals(tx, before, LIMIT);
  await Promise.all(removals.map((removal) => cache.forgetEntry(removal, removal.key, removal.sequence)));
  for (const removal of removals) await forgetRemoval(tx, removal);
  return { done: removals.length, more: removals.length === LIMIT };
}
