import type { Clock } from '../../../shared/clock.ts';
import type { reserveBlobs as contract } from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { reserveBlobKeys } from '../../../shared/items/blob-trash.ts';
import type { Database } from '../../../shared/items/sql.ts';

interface ReserveDependencies {
  sql: Database;
  clock: Clock;
  blobGraceMs: number;
}

/** Registers keys for blobs about to be written. Half the grace is for taking a key, the rest for using it. */
export async function reserveBlobs(
  { sql, clock, blobGraceMs }: ReserveDependencies,
  { count }: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const keys = await reserveBlobKeys(sql, count, clock.now() + blobGraceMs);
  return { keys, validMs: Math.floor(blobGraceMs / 2) };
}
