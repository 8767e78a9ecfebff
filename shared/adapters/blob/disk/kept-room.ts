import { statfs } from 'node:fs/promises';

/** Room that blobs leave on their disk: a database beside them needs some to remove anything at all. Of a small disk it is a part. */
const KEPT_BYTES = 256 * 1_048_576;
const KEPT_PART = 0.05;

/** How long a look at the disk counts, in ms; blobs that are put meanwhile are subtracted. */
const LOOK_MS = 2_000;

/** Keeps the last room of a disk from blobs. */
export interface KeptRoom {
  /** Counts a blob of so many bytes that is about to be put. @throws Error with the code ENOSPC when there is no room for it */
  take(bytes: number): Promise<void>;
}

/** @param folder a folder on the disk */
export function createKeptRoom(folder: string): KeptRoom {
  let free = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<void> => {
    lookedAt = performance.now();
    const { bavail, blocks, bsize } = await statfs(folder);
    free = bavail * bsize - Math.min(KEPT_BYTES, blocks * bsize * KEPT_PART);
  };
  return {
    async take(bytes) {
      // Before a refusal in any case: there may be room since.
      if (bytes > free || performance.now() - lookedAt > LOOK_MS) await look();
      if (bytes > free)
        throw Object.assign(new Error(`${folder} has no room for ${bytes} bytes`), { code: 'ENOSPC' });
      free -= bytes;
    },
  };
}
