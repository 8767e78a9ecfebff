import { publishChange } from '../contracts/changes.ts';
import { PerchError } from '../perch-error.ts';
import { itemKey } from './item.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import type { ItemRecord } from './item-record.ts';

/**
 * Puts a committed change into the cache before the reply leaves, so that no gateway serves the old state after it.
 * A cache that is away does not undo the write: the repair pass tells it later. Then publishes the change for gateways that
 * watch the item.
 */
export async function announceItem(
  {
    cache,
    bus,
    log,
    announcementMissed,
  }: Pick<ItemDependencies, 'cache' | 'bus' | 'log' | 'announcementMissed'>,
  record: ItemRecord,
): Promise<void> {
  try {
    await cache.putRecord(record);
  } catch (error) {
    announcementMissed();
    log.warn({ error, item: itemKey(record) }, 'the cache missed a change; the repair pass will bring it');
  }
  publishChange(bus, record);
}

/**
 * Waits for a write. One that fails without a certain outcome may have been committed, and nobody has told the cache: the
 * next repair pass then runs soon.
 */
export async function repairSoonIfUncertain<T>(
  { announcementMissed }: Pick<ItemDependencies, 'announcementMissed'>,
  write: Promise<T>,
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const refused = error instanceof PerchError && !['UNAVAILABLE', 'TIMEOUT'].includes(error.code);
    if (!refused) announcementMissed();
    throw error;
  }
}
