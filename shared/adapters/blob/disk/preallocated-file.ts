import type { FileHandle } from 'node:fs/promises';

/** A file that only grows at its end, and is made longer ahead of that. */
export interface PreallocatedFile {
  /** One at a time. When it rejects, the file may end in a part of the bytes. */
  append(buffers: readonly Uint8Array[]): Promise<void>;
  close(): Promise<void>;
}

/** Bytes of zeros written ahead at once: as many as the file has, within these bounds. */
const STEP = { min: 131_072, max: 1_048_576 };

const ZEROS = new Uint8Array(STEP.max);

/**
 * Writes zeros behind the end of a new file while it grows. An append to what is there already changes the bytes alone; one that makes
 * the file longer has the file system find room and note the new length, too, which a synced write waits for. Readers have to tell
 * the zeros from what was appended.
 */
export function createPreallocatedFile(file: FileHandle): PreallocatedFile {
  let end = 0;
  let zerosEnd = 0;
  let filling: Promise<void> | null = null;
  let mayFill = true;

  const fill = async (from: number, size: number): Promise<void> => {
    try {
      await writeWhole(file, [ZEROS.subarray(0, size)], from);
      zerosEnd = from + size;
    } catch {
      // An append that has no room either says so.
      mayFill = false;
    }
    filling = null;
  };

  return {
    async append(buffers) {
      const size = lengthOf(buffers);
      // Zeros that are still being written must not end up over the bytes.
      if (end + size > zerosEnd) await filling;
      await writeWhole(file, buffers, end);
      end += size;
      const step = Math.min(STEP.max, Math.max(STEP.min, end));
      if (mayFill && filling === null && zerosEnd - end < step / 2)
        filling = fill(Math.max(zerosEnd, end), step);
    },
    async close() {
      await filling;
      await file.close();
    },
  };
}

const lengthOf = (buffers: readonly Uint8Array[]): number =>
  buffers.reduce((sum, { length }) => sum + length, 0);

async function writeWhole(file: FileHandle, buffers: readonly Uint8Array[], at: number): Promise<void> {
  const { bytesWritten } = await file.writev(buffers, at);
  const size = lengthOf(buffers);
  if (bytesWritten === size) return;
  // Where there is no more room, a write of the rest says so.
  const rest = Buffer.concat(buffers).subarray(bytesWritten);
  const more = await file.write(rest, 0, rest.length, at + bytesWritten);
  if (more.bytesWritten !== rest.length)
    throw new Error(`${bytesWritten + more.bytesWritten} of ${size} bytes were written`);
}
