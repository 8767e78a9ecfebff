import { inLanes } from '../../../in-lanes.ts';
import { isNoSpace } from '../../../storage-failure.ts';
import { recordsOf, type Segment } from './segment.ts';

/** The files of journaled blobs. Nothing is synced. */
export interface JournaledFiles {
  /** Whole or as it was at any time; a new file, so that the kernel has all of it to write. */
  replace(key: string, bytes: Uint8Array): Promise<void>;
  remove(key: string): Promise<void>;
  /** Whether a reader of the file would get these bytes. */
  has(key: string, bytes: Uint8Array): Promise<boolean>;
}

interface ReplayOptions {
  files: JournaledFiles;
  /** Tells of removals that are in no record of the segments. */
  isRemoved(key: string): boolean;
  /** Ends it, before the next file. */
  signal?: AbortSignal;
}

/** Files that are written at once. */
const LANES = 16;

/**
 * Replays the segments that need it after a crash or a failed sync: writes their blobs anew, and removes those that were
 * removed. The last record of a key counts, in whichever segment it is. A segment that a full disk kept from being restored
 * needs another replay; until then a blob of it whose file has other bytes is missing.
 * @param segments all that come before the removals of which `isRemoved` tells
 * @returns what said that there is no room, `null` when all is done
 */
export async function replay(
  segments: readonly Segment[],
  { files, isRemoved, signal }: ReplayOptions,
): Promise<unknown> {
  if (!segments.some(({ needsReplay }) => needsReplay)) return null;
  const last = new Map<string, { segment: Segment; at: number; isRemoval: boolean }>();
  for (const segment of segments)
    for (const [at, { key, bytes }] of (await recordsOf(segment)).entries()) {
      segment.keys.add(key);
      last.set(key, { segment, at, isRemoval: bytes === null });
    }
  // First, as they make room.
  const removed = [...last].filter(([, { isRemoval }]) => isRemoval).map(([key]) => key);
  await inLanes(removed, LANES, (key) => files.remove(key));

  let full: unknown = null;
  for (const segment of segments.filter(({ needsReplay }) => needsReplay)) {
    let isWhole = true;
    const records = [...(await recordsOf(segment)).entries()].filter(([at, { key }]) => {
      const found = last.get(key);
      return found?.segment === segment && found.at === at;
    });
    await inLanes(records, LANES, async ([, { key, bytes }]) => {
      signal?.throwIfAborted();
      if (bytes === null || isRemoved(key)) return;
      try {
        await files.replace(key, bytes);
        if (isRemoved(key)) await files.remove(key);
      } catch (error) {
        if (!isNoSpace(error)) throw error;
        if (!(await files.has(key, bytes))) await files.remove(key);
        full ??= error;
        isWhole = false;
      }
    });
    segment.needsReplay = !isWhole;
  }
  return full;
}
