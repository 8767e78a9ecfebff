import { LIMITS } from '../../../shared/items/item.ts';
import { archiveIssue, entryIssue } from './archive-issue.ts';
import type { ArchiveSource } from './archive-source.ts';
import type { EndRecord } from './end-record.ts';
import { readEntryName } from './entry-name.ts';
import { readZip64Fields } from './extra-fields.ts';

/** One entry as the central directory has it; none of it is to be trusted. */
export interface DirectoryEntry {
  name: string;
  /** As both headers have it, which is not always what `name` is read from. */
  nameBytes: Buffer;
  flags: number;
  method: number;
  crc: number;
  compressedSize: number;
  size: number;
  /** Where its local header begins. */
  offset: number;
  /** Unix file mode, 0 where the tool wrote none. */
  mode: number;
}

/** Each file may have a companion that is skipped (`__MACOSX/`), and there may be as many folders as files. */
export const MAX_ENTRIES = 3 * LIMITS.siteFiles;

const HEADER = { signature: 0x02014b50, length: 46 };

/** A header with the longest path in four-byte characters, and room for extra fields and a comment. */
const MAX_BYTES_PER_ENTRY = HEADER.length + 4 * LIMITS.sitePathCharacters + 512;

/**
 * Reads the central directory, after its size and number of entries have been found sane.
 * @throws VALIDATION_FAILED when there are too many entries, or the directory is no whole one.
 */
export async function readCentralDirectory(source: ArchiveSource, end: EndRecord): Promise<DirectoryEntry[]> {
  if (end.entries > MAX_ENTRIES)
    throw archiveIssue(
      `has ${end.entries} entries; a site has at most ${LIMITS.siteFiles} files, an archive ${MAX_ENTRIES} entries.`,
    );
  if (end.directorySize > end.entries * MAX_BYTES_PER_ENTRY)
    throw archiveIssue('has a directory larger than its entries could need; its names may be too long.');
  const directory = await source.read(end.directoryOffset, end.directorySize);
  const entries: DirectoryEntry[] = [];
  let at = 0;
  while (entries.length < end.entries) {
    const { entry, length } = parseHeader(directory.subarray(at));
    entries.push(entry);
    at += length;
  }
  if (at !== directory.length) throw damaged();
  return entries;
}

/**
 * The entry at the beginning of a part of a directory, and how long its header is.
 * @throws VALIDATION_FAILED when there is no whole one
 */
export function parseHeader(
  bytes: Buffer,
  nameOf: (bytes: Buffer, extra: Buffer) => string = readEntryName,
): { entry: DirectoryEntry; length: number } {
  if (bytes.length < HEADER.length || bytes.readUInt32LE(0) !== HEADER.signature) throw damaged();
  const nameEnd = HEADER.length + bytes.readUInt16LE(28);
  const extraEnd = nameEnd + bytes.readUInt16LE(30);
  const length = extraEnd + bytes.readUInt16LE(32);
  const nameBytes = bytes.subarray(HEADER.length, nameEnd);
  const extra = bytes.subarray(nameEnd, extraEnd);
  const name = nameOf(nameBytes, extra);
  const [size, compressedSize, offset, disk] = readZip64Fields(name, extra, [
    { value: bytes.readUInt32LE(24), bytes: 4 },
    { value: bytes.readUInt32LE(20), bytes: 4 },
    { value: bytes.readUInt32LE(42), bytes: 4 },
    { value: bytes.readUInt16LE(34), bytes: 2 },
  ]);
  if (disk !== 0) throw entryIssue(name, 'lies in another part of the archive; send one whole ZIP archive.');
  const entry = {
    ...{ name, nameBytes, size, compressedSize, offset },
    flags: bytes.readUInt16LE(8),
    method: bytes.readUInt16LE(10),
    crc: bytes.readUInt32LE(16),
    mode: bytes.readUInt16LE(40),
  };
  return { entry, length };
}

const damaged = () => archiveIssue('has a damaged directory.');
