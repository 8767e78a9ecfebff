import { repairRecords } from '../../../shared/items/repair-records.ts';
import type { Pass } from '../../../shared/sweep/sweeper.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { forgetBlockedContent } from '../operations/blocked-content.ts';
import { finishTakedowns } from '../operations/take-down-owner.ts';
import { createAnnouncements, type IndexNowSettings } from './announce-listed.ts';
import { emptyTrash } from './empty-trash.ts';
import { expireItems } from './expire-items.ts';
import { forgetOldIdempotencyKeys } from './forget-idempotency-keys.ts';

/** The background work of this service, for items of every kind. @param indexNow `null`: nothing is announced */
export const contentPasses = (
  deps: ContentDependencies,
  indexNow: IndexNowSettings | null = null,
): Pass[] => [
  // First, as the others may have a backlog.
  ['repair-routes', (round) => repairRecords(deps, round)],
  ['finish-takedowns', () => finishTakedowns(deps)],
  ['expire-items', () => expireItems(deps)],
  ['empty-trash', () => emptyTrash(deps)],
  ['forget-blocked-content', () => forgetBlockedContent(deps)],
  ['forget-receipts', () => forgetOldIdempotencyKeys(deps)],
  ...(indexNow === null ? [] : [['announce-listed', createAnnouncements(deps, indexNow)] satisfies Pass]),
];
