import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '../../../logger.ts';
import { syncPath } from '../../../sync-path.ts';
import type { JournalRecord } from './records.ts';
import { appendTo, closeSegment, createSegment, findSegments, replay, type Segment } from './segment.ts';
import { createSettling } from './settling.ts';

export interface BlobJournalOptions {
  /** Holds the segments. Made when missing. */
  folder: string;
  /** Holds the folders of the blobs, as `<root>/<key>`. */
  root: string;
  /** Brings the file of a blob to the state of a record that an earlier process left, for good. */
  restore(record: JournalRecord): Promise<void>;
  log: Logger;
  bounds?: JournalBounds | undefined;
}

export interface JournalBounds {
  /** A segment that has so many bytes or records takes no more. */
  segmentBytes: number;
  segmentRecords: number;
  /** The most full segments; when their blobs are not durable without them yet, there is no room. */
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

/** Records of one write: each has two buffers, and writev(2) takes 1,024. */
const MOST_AT_ONCE = 256;

export interface BlobJournal {
  /** Whether it takes another blob; if not, the caller makes it durable without the journal. */
  hasRoom(): boolean;
  /**
   * Keeps a blob and then writes its file, which need not be durable: until it is, the journal has the bytes.
   * @throws when it is not kept, without writing, or what `write` throws
   */
  put(key: string, bytes: Uint8Array, write: () => Promise<void>): Promise<void>;
  /** Keeps that blobs were removed, so that no start brings one back. */
  remove(keys: string[]): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  record: JournalRecord;
  /** Begins what is done once the record is kept. */
  write(): Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * A write-ahead log of small blobs: all that are put at a time share one write that waits for the disk, where a file of its own
 * would wait twice, for itself and for its name. Segments go once the files are durable: when they are full, or a minute old.
 * One process has the folder at a time. What an earlier one left is restored before this resolves.
 */
export async function openBlobJournal(options: BlobJournalOptions): Promise<BlobJournal> {
  const { folder, root, log, bounds = BOUNDS } = options;
  if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await syncPath(dirname(folder));
  const left = await findSegments(folder);
  for (const segment of left) await replay(segment, options.restore);

  const settling = createSettling(root, left, log);
  let number = left.at(-1)?.number ?? 0;
  let current: Segment | null = null;
  let waiting: Waiting[] = [];
  let writing: Promise<void> | null = null;
  let isDue = false;

  const isFull = ({ bytes, keys }: Segment): boolean =>
    bytes >= bounds.segmentBytes || keys.size >= bounds.segmentRecords;
  /** Between two writes only. */
  const retire = async (): Promise<void> => {
    isDue = false;
    if (current === null) return;
    const retired = current;
    current = null;
    settling.add(retired);
    await closeSegment(retired).catch((error: unknown) => log.warn({ error }, 'a segment was not closed'));
  };
  const segmentToWrite = async (): Promise<Segment> => {
    if (current !== null && (isDue || isFull(current))) await retire();
    if (current !== null) return current;
    number += 1;
    current = await createSegment(folder, number);
    return current;
  };
  const writeSome = async (some: Waiting[]): Promise<void> => {
    const segment = await segmentToWrite();
    const records = some.map(({ record }) => record);
    try {
      await appendTo(segment, records);
    } catch (error) {
      // Its end may be half a record, behind which none would be found.
      await retire();
      throw error;
    }
    for (const { write, resolve, reject } of some) {
      const written = write().then(resolve, reject);
      segment.writes.add(written);
      void written.then(() => segment.writes.delete(written));
    }
  };
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const some = waiting.slice(0, MOST_AT_ONCE);
      waiting = waiting.slice(MOST_AT_ONCE);
      await writeSome(some).catch((error: unknown) => {
        for (const { reject } of some) reject(error);
      });
    }
    writing = null;
  };
  const add = (record: JournalRecord, write: () => Promise<void>): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ record, write, resolve, reject });
      writing ??= writeAll();
    });
  const timer = setInterval(() => {
    if (writing === null) writing = retire().then(writeAll);
    else isDue = true;
    settling.begin();
  }, bounds.segmentMs);
  timer.unref();

  return {
    hasRoom: () => settling.full.length < bounds.segments,
    put: (key, bytes, write) => add({ key, bytes }, write),
    async remove(keys) {
      const kept = current === null ? settling.full : [...settling.full, current];
      const known = keys.filter((key) => kept.some((segment) => segment.keys.has(key)));
      await Promise.all(known.map((key) => add({ key, bytes: null }, async () => undefined)));
    },
    async close() {
      settling.stop();
      clearInterval(timer);
      while (writing !== null) await writing;
      if (current !== null) await closeSegment(current);
    },
  };
}
