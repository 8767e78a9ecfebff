import type { FileHandle } from 'node:fs/promises';
import { storageFailure } from '../../../../shared/storage-failure.ts';

/** Runs file work of ours whose failure is no issue of the client. */
export async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageFailure('disk space for uploads', error);
  }
}

/** So many bytes from a position on. @throws Error when the file ends before: it was cut off by somebody else */
export async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) throw new Error(`the spooled upload ended ${length - done} bytes early`);
    done += bytesRead;
  }
  return bytes;
}
