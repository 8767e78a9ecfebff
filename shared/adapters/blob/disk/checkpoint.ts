import { join } from 'node:path';
import type { Logger } from '../../../logger.ts';
import { type JournaledFiles, replay } from './replay.ts';
import { removeSegment, type Segment } from './segment.ts';
import { syncFiles } from './sync-files.ts';

export interface Checkpointer {
  /** Segments that take no more records and are still needed, oldest first. */
  readonly full: readonly Segment[];
  /** Takes over a segment, all of whose writes have begun. */
  add(segment: Segment): void;
  /** Begins a round, which tries again what failed; it changes nothing while one is under way. */
  run(): void;
  /** Lets the round under way go on for so many ms, and then ends it: the segments that are left are for the next start. */
  stop(withinMs: number): Promise<void>;
}

interface CheckpointerOptions {
  /** Holds the folders of the blobs. */
  root: string;
  files: JournaledFiles;
  isRemoved(key: string): boolean;
  /** Segments of an earlier process. */
  left: Segment[];
  log: Logger;
}

/** Makes the blobs of full segments durable without them, and removes these. */
export function createCheckpointer({ root, files, isRemoved, left, log }: CheckpointerOptions): Checkpointer {
  const full = [...left];
  const stopping = new AbortController();
  const { signal } = stopping;
  let underWay: Promise<void> | null = null;

  /**
   * The kernel reports a failed write-back once and then treats the pages as clean, so a failed sync marks all segments for
   * replay before the next sync.
   */
  const sync = async (segments: Segment[]): Promise<void> => {
    const keys = new Set(segments.flatMap((segment) => [...segment.keys]));
    try {
      const paths = [...keys].map((key) => join(root, key));
      await syncFiles(root, paths, signal);
    } catch (error) {
      for (const segment of segments) segment.needsReplay = true;
      throw error;
    }
  };
  const checkpoint = async (segments: Segment[]): Promise<void> => {
    await Promise.all(segments.flatMap(({ writes }) => [...writes]));
    const noRoom = await replay(segments, { files, isRemoved, signal });
    if (noRoom !== null) throw noRoom;
    await sync(segments);
    for (const segment of segments) {
      // After the limit of a stop another process may own the journal, and has this segment itself.
      if (signal.aborted) return;
      await removeSegment(segment);
      full.shift();
    }
  };
  const checkpointAll = async (): Promise<void> => {
    try {
      while (full.length > 0 && !signal.aborted) await checkpoint([...full]);
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ error }, 'blobs cannot be synced: their journal is kept, and tried again in a minute');
    } finally {
      underWay = null;
    }
  };
  const run = (): void => {
    if (full.length > 0) underWay ??= checkpointAll();
  };

  return {
    full,
    add(segment) {
      full.push(segment);
      run();
    },
    run,
    async stop(withinMs) {
      const limit = setTimeout(() => stopping.abort(), withinMs);
      await underWay;
      clearTimeout(limit);
      stopping.abort();
    },
  };
}
