import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '../../../logger.ts';
import { syncPath } from '../../../sync-path.ts';
import { createCheckpointer } from './checkpoint.ts';
import { createJournalQueue, type QueuedRecord } from './journal-queue.ts';
import { type JournaledFiles, replay } from './replay.ts';
import { appendTo, closeSegment, createSegment, findSegments, type Segment } from './segment.ts';

export interface BlobJournalOptions {
  /** Holds the segments. Made when missing. */
  folder: string;
  /** Holds the folders of the blobs, as `<root>/<key>`. */
  root: string;
  files: JournaledFiles;
  log: Logger;
  bounds?: JournalBounds | undefined;
}

export interface JournalBounds {
  /** A segment that has so many bytes or records takes no more. */
  segmentBytes: number;
  segmentRecords: number;
  /** The most full segments: when so many wait until their blobs are durable without them, there is no room. */
  segments: number;
  /** Longest that a segment takes records, in ms: it may hold what has been removed. */
  segmentMs: number;
}

const BOUNDS: JournalBounds = {
  segmentBytes: 16_777_216,
  segmentRecords: 4_096,
  segments: 4,
  segmentMs: 60_000,
};

/** Longest that a stop waits until the blobs are durable without their journal, in ms. */
const STOP_MS = 5_000;

export interface BlobJournal {
  /**
   * Keeps a blob and then writes its file, which need not be durable: until it is, the journal has the bytes. `false` when it has
   * no room, or cannot keep it: then the caller makes the blob durable without the journal.
   * @throws what `write` throws
   */
  put(key: string, bytes: Uint8Array, write: () => Promise<void>): Promise<boolean>;
  /** Keeps that blobs were removed, so that no start brings one back. @throws when the journal cannot be written */
  remove(keys: string[]): Promise<void>;
  /** Leaves no segment behind when the disk is quick enough. */
  close(): Promise<void>;
}

/**
 * A write-ahead log of small blobs: all that are put at a time share one write that waits for the disk, where a file of its
 * own would wait twice, for itself and for its name. Segments go once the files are durable: when they are full, or a
 * minute old. One process has the folder at a time. Segments of an earlier process are replayed before this resolves:
 * reading a file does not show whether the disk has it. Then they go like full ones.
 */
export async function openBlobJournal(options: BlobJournalOptions): Promise<BlobJournal> {
  const { folder, root, files, log, bounds = BOUNDS } = options;
  if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await syncPath(dirname(folder));
  const left = await findSegments(folder);
  const noRoom = await replay(left, { files, isRemoved: () => false });
  if (noRoom !== null)
    log.warn({ error: noRoom }, 'the disk is full: not all blobs could be restored from the journal yet');

  /** Keys of removed blobs of which a segment may still have the bytes. */
  const removed = new Set<string>();
  const isRemoved = (key: string): boolean => removed.has(key);
  const checkpointer = createCheckpointer({ root, files, isRemoved, left, log });
  let number = left.at(-1)?.number ?? 0;
  let current: Segment | null = null;
  let isDue = false;

  const kept = (): readonly Segment[] =>
    current === null ? checkpointer.full : [...checkpointer.full, current];
  const isKept = (key: string): boolean => kept().some(({ keys }) => keys.has(key));
  const isFull = ({ bytes, keys }: Segment): boolean =>
    bytes >= bounds.segmentBytes || keys.size >= bounds.segmentRecords;
  /** Ends the current segment, between two writes only: the next write begins another one. */
  const rotate = async (): Promise<void> => {
    isDue = false;
    if (current === null) return;
    const full = current;
    current = null;
    checkpointer.add(full);
    await closeSegment(full).catch((error: unknown) => log.warn({ error }, 'a segment was not closed'));
  };
  const segmentToWrite = async (): Promise<Segment> => {
    if (current !== null && (isDue || isFull(current))) await rotate();
    if (current !== null) return current;
    number += 1;
    current = await createSegment(folder, number);
    return current;
  };
  const writeSome = async (some: QueuedRecord[]): Promise<void> => {
    const segment = await segmentToWrite();
    const records = some.map(({ record }) => record);
    try {
      await appendTo(segment, records);
    } catch (error) {
      // Its end may be half a record, behind which none would be found.
      await rotate();
      throw error;
    }
    for (const { onWritten } of some) {
      const ended = onWritten();
      segment.writes.add(ended);
      void ended.then(() => segment.writes.delete(ended));
    }
  };
  const queue = createJournalQueue(writeSome, log);
  const timer = setInterval(() => {
    if (!queue.beginBetweenWrites(rotate)) isDue = true;
    checkpointer.run();
    for (const key of removed) if (!isKept(key)) removed.delete(key);
  }, bounds.segmentMs);
  timer.unref();
  checkpointer.run();

  return {
    async put(key, bytes, write) {
      if (checkpointer.full.length >= bounds.segments) return false;
      removed.delete(key);
      return await new Promise((resolve, reject) =>
        queue.add({
          record: { key, bytes },
          onWritten: () => write().then(() => resolve(true), reject),
          onFailed: () => resolve(false),
        }),
      );
    },
    async remove(keys) {
      const known = keys.filter(isKept);
      for (const key of known) removed.add(key);
      const told = known.map(
        (key) =>
          new Promise<void>((resolve, reject) =>
            queue.add({
              record: { key, bytes: null },
              onWritten: async () => resolve(),
              onFailed: reject,
            }),
          ),
      );
      await Promise.all(told);
    },
    async close() {
      clearInterval(timer);
      await queue.drain();
      await rotate();
      await checkpointer.stop(STOP_MS);
    },
  };
}
