import type { FileHandle } from 'node:fs/promises';
import { createCountingSemaphore } from '../../../shared/counting-semaphore.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import type { FairBudget, Holding } from '../admission/fair-budget.ts';
import type { FilePart } from './long-reads.ts';

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
  ): Promise<FilePart | null>;
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
  const turns = createCountingSemaphore(AT_ONCE);

  const makeInTurn = async (
    holding: Holding,
    length: number,
    deadline: number,
    open: () => Promise<ReadableStream<Uint8Array>>,
  ): Promise<FilePart | null> => {
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
      const copied = await copy(await open(), file, deadline);
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
      if (!holding.tryTake(length) || !(await turns.acquire(limitMs))) {
        holding.release();
        return null;
      }
      try {
        return await makeInTurn(holding, length, deadline, open);
      } finally {
        turns.release();
      }
    },
  };
}

/** How many bytes were copied: not all when the disk fails or the time is over. */
async function copy(source: ReadableStream<Uint8Array>, file: FileHandle, deadline: number): Promise<number> {
  let copied = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of source) {
    if (steadyNow() > deadline || !(await isWritten(file, chunk))) break;
    copied += chunk.length;
  }
  return copied;
}

async function isWritten(file: FileHandle, chunk: Uint8Array): Promise<boolean> {
  try {
    for (let written = 0; written < chunk.length; )
      written += (await file.write(chunk, written, chunk.length - written)).bytesWritten;
    return true;
  } catch {
    return false;
  }
}
