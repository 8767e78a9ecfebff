import { PerchError } from '../../../../shared/errors.ts';
import { type DirectoryEntry, parseHeader, readEntryName } from '../../archives/central-directory.ts';
import { type ArchiveSource, readEndRecord } from '../../archives/end-record.ts';

/** The contents of a ZIP as it states them. Nothing is unpacked, and none of it is checked. */
export interface ZipContents {
  readonly entries: ReadonlyArray<Pick<DirectoryEntry, 'name' | 'size' | 'compressedSize'>>;
  /** How many entries the archive says it has; more than are listed when it has too many to show. */
  readonly count: number;
  /** Of what is listed, as it says. */
  readonly bytes: number;
}

/** Entries that are listed, and bytes of the directory that are read for that. */
const MOST = { entries: 1_000, bytes: 256 * 1024 };

/** Lists a ZIP by its directory alone; `null` for one that is empty, or whose directory cannot be read. */
export async function readZipContents(source: ArchiveSource): Promise<ZipContents | null> {
  try {
    const { directoryOffset, directorySize, entries: count } = await readEndRecord(source);
    if (count === 0) return null;
    const directory = await source.read(directoryOffset, Math.min(directorySize, MOST.bytes));
    const entries = entriesOf(directory, Math.min(count, MOST.entries));
    return { entries, count, bytes: entries.reduce((sum, { size }) => sum + size, 0) };
  } catch (error) {
    if (error instanceof PerchError && error.code === 'VALIDATION_FAILED') return null;
    throw error;
  }
}

/** The entries of the beginning of a directory; the last one may be cut off. */
function entriesOf(directory: Buffer, most: number): DirectoryEntry[] {
  const entries: DirectoryEntry[] = [];
  for (let at = 0; entries.length < most; ) {
    const rest = directory.subarray(at);
    const isWhole = rest.length >= 46 && rest.length >= headerLength(rest);
    if (!isWhole && at > 0) break;
    const { entry, length } = parseHeader(rest, readableName);
    entries.push(entry);
    at += length;
  }
  return entries;
}

const headerLength = (header: Buffer): number =>
  46 + header.readUInt16LE(28) + header.readUInt16LE(30) + header.readUInt16LE(32);

/** A name in an encoding of its own is shown as far as it can be read. */
function readableName(bytes: Buffer, extra: Buffer): string {
  try {
    return readEntryName(bytes, extra);
  } catch (error) {
    if (error instanceof PerchError) return new TextDecoder().decode(bytes);
    throw error;
  }
}
