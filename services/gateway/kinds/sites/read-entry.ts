import { crc32, type InflateRaw, inflateRaw } from 'node:zlib';
import { entryIssue } from '../../archives/archive-issue.ts';
import type { ArchiveSource } from '../../archives/end-record.ts';
import { METHOD } from './entry-rules.ts';
import type { PlacedEntry } from './local-headers.ts';

/**
 * The content of one entry, held to its declared size and checksum. Never puts out more than the declared size, which
 * must have been found to be within the limits.
 * @throws VALIDATION_FAILED when the content is not what the directory declares.
 */
export async function readEntry(source: ArchiveSource, entry: PlacedEntry): Promise<Uint8Array> {
  const data = await source.read(entry.dataOffset, entry.compressedSize);
  const bytes = entry.method === METHOD.stored ? data : await inflate(data, entry);
  if (bytes.length !== entry.size) throw entryIssue(entry.name, 'is smaller than it declares.');
  if (crc32(bytes) !== entry.crc) throw entryIssue(entry.name, 'is damaged: its checksum is wrong.');
  return bytes;
}

function inflate(data: Uint8Array, { name, size, compressedSize }: PlacedEntry): Promise<Uint8Array> {
  // One chunk takes the whole content: zlib copies nothing together, and a byte to spare shows it the end.
  const options = { info: true, maxOutputLength: Math.max(size, 1), chunkSize: Math.max(size + 1, 1024) };
  return new Promise((resolve, reject) => {
    inflateRaw(data, options, (error, result) => {
      if (error !== null) {
        const { code } = error as NodeJS.ErrnoException;
        const larger = code === 'ERR_BUFFER_TOO_LARGE';
        reject(
          entryIssue(name, larger ? 'is larger than it declares.' : 'is damaged: it cannot be inflated.'),
        );
        return;
      }
      // The types do not know what `info` makes of the result.
      const { buffer, engine } = result as unknown as { buffer: Buffer; engine: InflateRaw };
      if (engine.bytesWritten === compressedSize) resolve(buffer);
      else reject(entryIssue(name, 'has bytes behind the end of its compressed data.'));
    });
  });
}
