import { PerchError } from '../errors.ts';
import type { ItemDependencies } from './item-dependencies.ts';

/**
 * Runs a write. One whose answer was lost may have been committed all the same, and nobody has told the cache: the
 * repair pass looks soon.
 */
export async function orRepair<T>(
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
