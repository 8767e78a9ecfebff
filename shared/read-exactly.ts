import type { FileHandle } from 'node:fs/promises';

/** Fills a buffer from a position of a file on, and returns it. @throws Error when the file ends before */
export async function readExactly(file: FileHandle, start: number, bytes: Buffer): Promise<Buffer> {
  const { length } = bytes;
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) throw new Error(`the file ended ${length - filled} bytes early`);
    filled += bytesRead;
  }
  return bytes;
}
