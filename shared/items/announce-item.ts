import { publishChange } from '../contracts/changes.ts';
import { PerchError } from '../errors.ts';
import { itemKey } from './item.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import type { ItemRecord } from './item-record.ts';

/**
 * Puts a committed change into the cache before the reply leaves, so that no gateway serves the old state after it.
 * A cache that is away does not undo the write: the repair pass tells it later. Gateways that watch the item hear of it.
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
 * Runs a write. One whose answer was lost may have been committed all the same, and nobody has told the cache: the
 * repair pass looks soon.
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
