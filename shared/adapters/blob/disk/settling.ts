import { join } from 'node:path';
import type { Logger } from '../../../logger.ts';
import { removeSegment, type Segment } from './segment.ts';
import { syncFiles } from './sync-files.ts';

export interface Settling {
  /** Segments that take no more records and are not superfluous yet, oldest first. */
  readonly full: readonly Segment[];
  /** Takes over a segment, all of whose writes have begun. */
  add(segment: Segment): void;
  /** Tries again what failed; it changes nothing while a round is under way. */
  begin(): void;
  /** A round under way removes no further segment. */
  stop(): void;
}

/**
 * Makes the blobs of full segments durable without them, and removes these.
 * @param root holds the folders of the blobs
 * @param left by an earlier process
 */
export function createSettling(root: string, left: Segment[], log: Logger): Settling {
  const full = [...left];
  let isUnderWay = false;
  let isStopped = false;

  const settle = async (segments: Segment[]): Promise<void> => {
    await Promise.all(segments.flatMap(({ writes }) => [...writes]));
    const keys = new Set(segments.flatMap((segment) => [...segment.keys]));
    const paths = [...keys].map((key) => join(root, key));
    await syncFiles(root, paths);
    for (const segment of segments) {
      // A later process may have it by now, and will do this, too.
      if (isStopped) return;
      await removeSegment(segment);
      full.shift();
    }
  };
  const settleAll = async (): Promise<void> => {
    try {
      while (full.length > 0 && !isStopped) await settle([...full]);
    } catch (error) {
      if (isStopped) return;
      log.warn({ error }, 'blobs cannot be synced: their journal is kept, and tried again in a minute');
    } finally {
      isUnderWay = false;
    }
  };
  const begin = (): void => {
    if (isUnderWay || full.length === 0) return;
    isUnderWay = true;
    void settleAll();
  };

  return {
    full,
    add(segment) {
      full.push(segment);
      begin();
    },
    begin,
    stop() {
      isStopped = true;
    },
  };
}
