import { call } from '../../../shared/contracts/call.ts';
import { subscribeToDatabaseLoss } from '../../../shared/contracts/changes.ts';
import { reserveBlobs, trashBlobs } from '../../../shared/contracts/content.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import { newRequestId } from '../../../shared/ids.ts';
import { type BlobKeyPool, createBlobKeyPool } from '../../../shared/items/blob-key-pool.ts';
import type { GatewayProcessDependencies } from '../../../shared/wiring/dependencies.ts';

/** Longest wait for `content`, in ms. */
const LIMIT_MS = 5_000;

/**
 * The keys of a gateway's uploads, which `content` reserves. When it has lost the database, those that are left are discarded: an
 * older state of it may come back, which knows none of them, and would refuse each upload under one.
 */
export async function createUploadKeys({
  bus,
  clock,
  config,
  log,
}: Pick<GatewayProcessDependencies, 'bus' | 'clock' | 'config' | 'log'>): Promise<BlobKeyPool> {
  const context = () => ({ requestId: newRequestId(), deadline: steadyNow() + LIMIT_MS });
  const source = {
    reserve: (count: number) => call(bus, reserveBlobs, { count }, context()),
    trash: (late: string[]) => call(bus, trashBlobs, { keys: late }, context()),
  };
  const keys = createBlobKeyPool(source, clock, config.blobGraceMs);
  const discard = () => keys.discard();
  // A loss that was told while the bus was away has been missed.
  bus.onReturn(discard);
  await subscribeToDatabaseLoss(bus, discard).catch((error: unknown) => {
    log.warn({ error }, 'this gateway does not hear when the database is lost');
  });
  return keys;
}
