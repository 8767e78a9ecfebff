import type { Clock } from '../../../shared/clock.ts';
import type * as contract from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { discardBlobs, extendReservation, reserveBlobKeys } from '../../../shared/items/blob-trash.ts';
import type { Database } from '../../../shared/items/sql.ts';
import type { ContentDependencies } from '../dependencies.ts';

interface ReserveDependencies {
  sql: Database;
  clock: Clock;
  blobGraceMs: number;
}

/**
 * Longest time for which reserved keys are handed out, in ms: a PostgreSQL that was restored does not know the keys
 * reserved since, and content under them is refused.
 */
const MAX_VALID_MS = 60_000;

/** Registers keys for blobs about to be written. Half the grace at most is for taking a key, the rest for using it. */
export async function reserveBlobs(
  { sql, clock, blobGraceMs }: ReserveDependencies,
  { count }: InputOf<typeof contract.reserveBlobs>,
): Promise<ReplyOf<typeof contract.reserveBlobs>> {
  const keys = await reserveBlobKeys(sql, count, clock.now() + blobGraceMs);
  return { keys, validMs: Math.min(MAX_VALID_MS, Math.floor(blobGraceMs / 2)) };
}

/** Extends reservations: their grace period starts again. */
export async function extendBlobs(
  { sql, clock, blobGraceMs }: Pick<ContentDependencies, 'sql' | 'clock' | 'blobGraceMs'>,
  { keys }: InputOf<typeof contract.extendBlobs>,
): Promise<ReplyOf<typeof contract.extendBlobs>> {
  const now = clock.now();
  await extendReservation(sql, keys, now, now + blobGraceMs);
  return {};
}

/** Leaves blobs that no item will have to the sweeper. */
export async function trashBlobs(
  { sql, clock, blobGraceMs }: ReserveDependencies,
  { keys }: InputOf<typeof contract.trashBlobs>,
): Promise<ReplyOf<typeof contract.trashBlobs>> {
  await discardBlobs(sql, keys, clock.now() + blobGraceMs);
  return {};
}
