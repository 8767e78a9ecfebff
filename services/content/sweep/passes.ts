import { forgetIdempotencyKeys } from '../../../shared/items/idempotency-keys.ts';
import { REPOST_HOURS } from '../../../shared/items/item.ts';
import { repairRecords } from '../../../shared/items/repair-records.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { Pass } from '../../../shared/sweep/sweeper.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { forgetBlockedContent } from '../operations/blocked-content.ts';
import { finishTakedowns } from '../operations/take-down-owner.ts';
import { createAnnouncements, type IndexNowSettings } from './announce-listed.ts';
import { emptyTrash } from './empty-trash.ts';
import { expireItems } from './expire-items.ts';

/** The background work of this service, for items of every kind. @param indexNow `null`: nothing is announced */
export const contentPasses = (
  deps: ContentDependencies,
  indexNow: IndexNowSettings | null = null,
): Pass[] => [
  // First, as the others may have a backlog.
  ['repair-cached-records', (round) => repairRecords(deps, round)],
  ['finish-takedowns', () => finishTakedowns(deps)],
  ['expire-items', () => expireItems(deps)],
  ['empty-trash', () => emptyTrash(deps)],
  ['forget-blocked-content', () => forgetBlockedContent(deps)],
  ['forget-idempotency-keys', () => forgetOldIdempotencyKeys(deps)],
  ...(indexNow === null ? [] : [['announce-listed', createAnnouncements(deps, indexNow)] satisfies Pass]),
];

const LIMIT = 1_000;

/** Forgets which requests made which items, once a repeated one counts as new. */
async function forgetOldIdempotencyKeys({ sql, clock }: ContentDependencies): Promise<Batch> {
  const done = await forgetIdempotencyKeys(sql, clock.now() - REPOST_HOURS * 3_600_000, LIMIT);
  return { done, more: done === LIMIT };
}
