import type { extendBlobs as contract } from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { extendReservation } from '../../../shared/items/blob-trash.ts';
import type { ContentDependencies } from '../dependencies.ts';

/** Counts the time for which reserved keys may be used anew from now. */
export async function extendBlobs(
  { sql, clock, blobGraceMs }: Pick<ContentDependencies, 'sql' | 'clock' | 'blobGraceMs'>,
  { keys }: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const now = clock.now();
  await extendReservation(sql, keys, now, now + blobGraceMs);
  return {};
}
