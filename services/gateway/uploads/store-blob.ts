import { createHash } from 'node:crypto';
import type { Config } from '../../../shared/config.ts';
import { call } from '../../../shared/contracts/call.ts';
import { extendBlobs } from '../../../shared/contracts/content.ts';
import type { StoredBlob } from '../../../shared/contracts/create.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import { newRequestId } from '../../../shared/ids.ts';
import type { ReservedKey } from '../../../shared/items/blob-key-pool.ts';
import { putReserved, putWhileReserved } from '../../../shared/items/put-reserved.ts';
import type { UploadDependencies } from './dependencies.ts';

/** Stores an upload as `putReserved` does. */
export async function storeBlob(
  deps: Pick<UploadDependencies, 'blobs' | 'blobKeys' | 'log'>,
  bytes: Uint8Array,
): Promise<StoredBlob> {
  const key = await putReserved(deps, bytes);
  return { key, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/**
 * Puts blobs under reserved keys as `putWhileReserved` does, and extends the reservation meanwhile, however long it takes: the
 * sweeper would otherwise remove the written blobs. A failed extension is retried at the next interval, of which a
 * reservation has three.
 */
export async function putKeepingReserved(
  deps: Pick<UploadDependencies, 'blobs' | 'blobKeys' | 'bus' | 'log'> & {
    config: Pick<Config, 'blobGraceMs'>;
  },
  reserved: readonly ReservedKey[],
  put: () => Promise<unknown>,
): Promise<void> {
  const { blobKeys, bus, config, log } = deps;
  const { clock } = blobKeys;
  const keys = reserved.map(({ key }) => key);
  let until = Math.min(...reserved.map((key) => key.until));
  const extend = async (): Promise<void> => {
    const asked = clock.now();
    const context = { requestId: newRequestId(), deadline: steadyNow() + 5_000 };
    try {
      await call(bus, extendBlobs, { keys }, context);
      // A reservation that is over is not extended.
      if (clock.now() < until) until = asked + config.blobGraceMs;
    } catch (error) {
      log.warn({ error }, 'a reservation could not be extended; trying again');
    }
  };
  const timer = setInterval(() => void extend(), config.blobGraceMs / 3);
  try {
    await extend();
    await putWhileReserved(deps, { keys, until: () => until }, put);
  } finally {
    clearInterval(timer);
  }
}
