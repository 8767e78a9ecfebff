import type { FileHandle } from 'node:fs/promises';
import { createCountingSemaphore } from '../../../shared/counting-semaphore.ts';
import { steadyNow, within } from '../../../shared/deadline.ts';
import type { FairBudget, Holding } from '../admission/fair-budget.ts';
import type { FileRange } from './long-reads.ts';

/** Copies of parts of blobs on this machine's disk, each for one answer. */
export interface TemporaryCopies {
  /**
   * Copies a stream of so many bytes; `null` when the client's share of the room is used up, or the disk or the store is too
   * slow or the disk full: then the bytes have to be streamed.
   * @throws what `open` and its stream throw
   */
  make(
    client: string,
    length: number,
    open: () => Promise<ReadableStream<Uint8Array>>,
  ): Promise<FileRange | null>;
}

interface TemporaryCopiesOptions {
  /** Bytes of all copies together, shared by clients. */
  room: FairBudget;
  /** Makes an empty file that is gone when it is closed. */
  openFile(): Promise<FileHandle>;
  /** Longest time that a reader waits for a copy, in ms. */
  limitMs?: number;
}

/** Copies that are being made at once: what each has in memory waits for the collector. */
const AT_ONCE = 8;

/** A store that is near gives the largest file, 20 MB, in a fifth of this. */
const LIMIT_MS = 2_000;

export function createTemporaryCopies({
  room,
  openFile,
  limitMs = LIMIT_MS,
}: TemporaryCopiesOptions): TemporaryCopies {
  const permits = createCountingSemaphore(AT_ONCE);

  const makeWithPermit = async (
    holding: Holding,
    length: number,
    deadline: number,
    open: () => Promise<ReadableStream<Uint8Array>>,
  ): Promise<FileRange | null> => {
    const file = await openFile().catch(() => null);
    if (file === null) {
      holding.release();
      return null;
    }
    const close = async (): Promise<void> => {
      holding.release();
      await file.close();
    };
    try {
      const source = await orLate(open(), deadline, cancel);
      const copied = source === LATE ? 0 : await copy(source, file, deadline);
      if (copied === length) return { fd: file.fd, size: length, start: 0, length, close };
    } catch (error) {
      await close();
      throw error;
    }
    await close();
    return null;
  };

  return {
    async make(client, length, open) {
      const deadline = steadyNow() + limitMs;
      const holding = room.open(client);
      if (!holding.tryTake(length) || !(await permits.acquire(limitMs))) {
        holding.release();
        return null;
      }
      try {
        return await makeWithPermit(holding, length, deadline, open);
      } finally {
        permits.release();
      }
    },
  };
}

/** How many bytes were copied: not all when the disk fails or the time is over. */
async function copy(source: ReadableStream<Uint8Array>, file: FileHandle, deadline: number): Promise<number> {
  const reader = source.getReader();
  try {
    for (let copied = 0; ; ) {
      const next = await orLate(reader.read(), deadline);
      if (next === LATE || next.done || !(await tryWrite(file, next.value))) return copied;
      copied += next.value.length;
    }
  } finally {
    // A stream that has ended or failed is left as it is. A store that does not answer is not waited for.
    reader.cancel().catch(() => undefined);
  }
}

const LATE = Symbol('late');

/**
 * Waits for a store until a deadline.
 * @param discard gets the outcome that comes after it
 */
async function orLate<T>(
  work: Promise<T>,
  deadline: number,
  discard: (outcome: T) => void = () => undefined,
): Promise<T | typeof LATE> {
  const late = new Error('late');
  try {
    const leftMs = deadline - steadyNow();
    // The outcome of a store that is always ready would come before a timer.
    if (leftMs <= 0) throw late;
    return await within(work, leftMs, () => late);
  } catch (error) {
    if (error !== late) throw error;
    work.then(discard, () => undefined);
    return LATE;
  }
}

function cancel(source: ReadableStream<Uint8Array>): void {
  source.cancel().catch(() => undefined);
}

/** `false`: the disk has failed, or is full. */
async function tryWrite(file: FileHandle, chunk: Uint8Array): Promise<boolean> {
  try {
    for (let written = 0; written < chunk.length; )
      written += (await file.write(chunk, written, chunk.length - written)).bytesWritten;
    return true;
  } catch {
    return false;
  }
}
