import type { Logger } from '../../../logger.ts';
import type { JournalRecord } from './records.ts';

/** The most of one write. A record has two buffers, of which writev(2) takes 1,024. */
const AT_ONCE = { records: 256, bytes: 4_194_304 };

/** A record to write. */
export interface QueuedRecord {
  record: JournalRecord;
  /** Does what follows once the record is kept. */
  onWritten(): Promise<void>;
  /** The record is not kept, or not known to be. */
  onFailed(error: unknown): void;
}

interface JournalQueue {
  add(one: QueuedRecord): void;
  /** Begins work between two writes; records that come meanwhile are written after it. `false`: a write is under way, and the work was not begun. */
  beginBetweenWrites(work: () => Promise<void>): boolean;
  /** Resolves when all records have been written or have failed. */
  drain(): Promise<void>;
}

/** Records that wait for the disk: all that come while a write is under way share the next one. */
export function createJournalQueue(
  write: (records: QueuedRecord[]) => Promise<void>,
  log: Logger,
): JournalQueue {
  const waiting: QueuedRecord[] = [];
  let writing: Promise<void> | null = null;

  const takeSome = (): QueuedRecord[] => {
    let bytes = 0;
    const fits = waiting.findIndex(({ record }, index) => {
      bytes += record.bytes?.length ?? 0;
      return index === AT_ONCE.records || (index > 0 && bytes > AT_ONCE.bytes);
    });
    return waiting.splice(0, fits < 0 ? waiting.length : fits);
  };
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const some = takeSome();
      await write(some).catch((error: unknown) => {
        log.warn({ error, records: some.length }, 'the journal of blobs cannot be written');
        for (const { onFailed } of some) onFailed(error);
      });
    }
    writing = null;
  };

  return {
    add(one) {
      waiting.push(one);
      writing ??= writeAll();
    },
    beginBetweenWrites(work) {
      if (writing !== null) return false;
      writing = work().then(writeAll);
      return true;
    },
    async drain() {
      while (writing !== null) await writing;
    },
  };
}
