import { open } from 'node:fs/promises';
import { crc32, type InflateRaw, inflateRaw } from 'node:zlib';
import { errorCode } from '../../../../shared/error-code.ts';
import { readExactly } from '../../../../shared/read-exactly.ts';
import { freeBytes } from '../../admission/memory-budget.ts';
import { archiveIssue, entryIssue } from '../../archives/archive-issue.ts';
import { type DirectoryEntry, readCentralDirectory } from '../../archives/central-directory.ts';
import type { ArchiveSource } from '../../archives/end-record.ts';
import { readEndRecord } from '../../archives/end-record.ts';
import { METHOD, type PlacedEntry, placeEntries, selectFiles } from './archive-entries.ts';
import { available } from './spool.ts';

/** One file of a site on its way in. */
export interface SitePart {
  path: string;
  bytes: Uint8Array;
}

/** An upload about to be unpacked. */
export interface OpenUpload {
  /** Bytes of its files together, without what is left out; of an archive as declared, to which contents are held. */
  readonly totalBytes: number;
  /**
   * Its files one at a time, in their order; no more than the one at hand is in memory. Can be read once. Their bytes are the
   * caller's, to free as well.
   * @throws VALIDATION_FAILED when a content is damaged or not what the archive's directory declares.
   */
  files(): AsyncGenerator<SitePart>;
  close(): Promise<void>;
}

/**
 * Opens a spooled ZIP archive as an upload of a site. Only its directory and headers are read here; everything that
 * they can tell about a broken rule (specification 8.2) is refused before any content is unpacked.
 * @throws VALIDATION_FAILED, TOO_LARGE; UNAVAILABLE when the disk fails.
 */
export async function openArchive(path: string, siteMaxBytes: number): Promise<OpenUpload> {
  const source = await openSource(path);
  try {
    const end = await readEndRecord(source);
    const entries = await readCentralDirectory(source, end);
    const paths = selectFiles(entries, siteMaxBytes);
    const files = filesOf(await placeEntries(source, entries, end.directoryOffset), paths);
    return {
      totalBytes: files.reduce((sum, { size }) => sum + size, 0),
      async *files() {
        for (const file of files) yield { path: file.path, bytes: await readFile(source, file) };
      },
      close: () => source.close(),
    };
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function openSource(path: string): Promise<ArchiveSource & Pick<OpenUpload, 'close'>> {
  const file = await available(() => open(path, 'r'));
  try {
    const { size } = await available(() => file.stat());
    return {
      size,
      async read(position, length) {
        if (position + length > size)
          throw archiveIssue('is cut off, or its directory points behind its end.');
        return await available(() => readExactly(file, position, Buffer.allocUnsafe(length)));
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** A file of the site in its archive, without the bytes of the directory: those need not stay in memory for it. */
interface ArchivedFile extends Omit<DirectoryEntry, 'nameBytes'> {
  path: string;
  dataOffset: number;
}

/** The entries that have a path, as files of the site. */
const filesOf = (placed: PlacedEntry[], paths: Map<DirectoryEntry, string>): ArchivedFile[] =>
  placed.flatMap(({ entry, dataOffset }) => {
    const path = paths.get(entry);
    if (path === undefined) return [];
    const { nameBytes: _, ...rest } = entry;
    return [{ ...rest, path, dataOffset }];
  });

/**
 * The content of one file, held to its declared size and checksum. Never puts out more than the declared size, which
 * must have been found to be within the limits.
 * @throws VALIDATION_FAILED when the content is not what the directory declares.
 */
async function readFile(source: ArchiveSource, file: ArchivedFile): Promise<Uint8Array> {
  const data = await source.read(file.dataOffset, file.compressedSize);
  const bytes = file.method === METHOD.stored ? data : await inflate(data, file);
  if (bytes !== data) freeBytes(data);
  if (bytes.length !== file.size) throw entryIssue(file.name, 'is smaller than it declares.');
  if (crc32(bytes) !== file.crc) throw entryIssue(file.name, 'is damaged: its checksum is wrong.');
  return bytes;
}

function inflate(data: Uint8Array, { name, size, compressedSize }: ArchivedFile): Promise<Uint8Array> {
  // One chunk takes the whole content: zlib copies nothing together, and a byte to spare shows it the end.
  const options = { info: true, maxOutputLength: Math.max(size, 1), chunkSize: Math.max(size + 1, 1024) };
  return new Promise((resolve, reject) => {
    inflateRaw(data, options, (error, result) => {
      if (error !== null) {
        const larger = errorCode(error) === 'ERR_BUFFER_TOO_LARGE';
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
