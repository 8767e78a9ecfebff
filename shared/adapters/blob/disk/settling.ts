import { join } from 'node:path';
import type { Logger } from '../../../logger.ts';
import { type JournaledFiles, restore } from './restore.ts';
import { removeSegment, type Segment } from './segment.ts';
import { syncFiles } from './sync-files.ts';

export interface Settling {
  /** Segments that take no more records and are not superfluous yet, oldest first. */
  readonly full: readonly Segment[];
  /** Takes over a segment, all of whose writes have begun. */
  add(segment: Segment): void;
  /** Tries again what failed; it changes nothing while a round is under way. */
  begin(): void;
  /** Lets the round under way go on for so many ms, and then ends it: the segments that are left are for the next start. */
  stop(withinMs: number): Promise<void>;
}

interface SettlingOptions {
  /** Holds the folders of the blobs. */
  root: string;
  files: JournaledFiles;
  isRemoved(key: string): boolean;
  /** Segments of an earlier process. */
  left: Segment[];
  log: Logger;
}

/** Makes the blobs of full segments durable without them, and removes these. */
export function createSettling({ root, files, isRemoved, left, log }: SettlingOptions): Settling {
  const full = [...left];
  const stopping = new AbortController();
  const { signal } = stopping;
  let underWay: Promise<void> | null = null;

  /**
   * The kernel tells once that it could not write a file, and takes it for written from then on. After a failed sync, of
   * whatever file, all of them are written once more before the next.
   */
  const sync = async (segments: Segment[]): Promise<void> => {
    const keys = new Set(segments.flatMap((segment) => [...segment.keys]));
    try {
      const paths = [...keys].map((key) => join(root, key));
      await syncFiles(root, paths, signal);
    } catch (error) {
      for (const segment of segments) segment.isSuspect = true;
      throw error;
    }
  };
  const settle = async (segments: Segment[]): Promise<void> => {
    await Promise.all(segments.flatMap(({ writes }) => [...writes]));
    const noRoom = await restore(segments, { files, isRemoved, signal });
    if (noRoom !== null) throw noRoom;
    await sync(segments);
    for (const segment of segments) {
      // After the limit of a stop another process may own the journal, and settles this segment itself.
      if (signal.aborted) return;
      await removeSegment(segment);
      full.shift();
    }
  };
  const settleAll = async (): Promise<void> => {
    try {
      while (full.length > 0 && !signal.aborted) await settle([...full]);
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ error }, 'blobs cannot be synced: their journal is kept, and tried again in a minute');
    } finally {
      underWay = null;
    }
  };
  const begin = (): void => {
    if (full.length > 0) underWay ??= settleAll();
  };

  return {
    full,
    add(segment) {
      full.push(segment);
      begin();
    },
    begin,
    async stop(withinMs) {
      const limit = setTimeout(() => stopping.abort(), withinMs);
      await underWay;
      clearTimeout(limit);
      stopping.abort();
    },
  };
}
