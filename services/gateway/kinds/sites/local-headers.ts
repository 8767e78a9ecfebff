import { entryIssue } from '../../archives/archive-issue.ts';
import { type DirectoryEntry, readZip64Fields } from '../../archives/central-directory.ts';
import type { ArchiveSource } from '../../archives/end-record.ts';
import { FLAG } from './entry-rules.ts';

/** An entry whose local header has been found to agree with the directory. */
export interface PlacedEntry extends DirectoryEntry {
  /** The entry as the directory lists it. */
  listed: DirectoryEntry;
  /** Where its data begins. */
  dataOffset: number;
}

const HEADER = { signature: 0x04034b50, length: 30 };

/** Flags that change how an entry is read, so that both headers must agree on them. */
const DECISIVE_FLAGS = FLAG.encrypted | FLAG.patch | FLAG.strongEncryption | FLAG.maskedHeader;

/**
 * Finds the data of every entry, in the order in which they lie in the archive.
 * @throws VALIDATION_FAILED when entries overlap each other or the directory, or a local header says other things
 * than the directory.
 */
export async function placeEntries(
  source: ArchiveSource,
  entries: DirectoryEntry[],
  directoryOffset: number,
): Promise<PlacedEntry[]> {
  const sorted = entries.toSorted((one, other) => one.offset - other.offset);
  const placed: PlacedEntry[] = [];
  for (const [index, entry] of sorted.entries()) {
    const room = (sorted[index + 1]?.offset ?? directoryOffset) - entry.offset;
    placed.push(await place(source, entry, room));
  }
  return placed;
}

/** `room` is how many bytes there are up to the next entry or the directory. */
async function place(source: ArchiveSource, entry: DirectoryEntry, room: number): Promise<PlacedEntry> {
  const nameEnd = HEADER.length + entry.nameBytes.length;
  const header = await source.read(entry.offset, nameEnd);
  if (header.readUInt32LE(0) !== HEADER.signature)
    throw entryIssue(entry.name, 'is not where the directory says.');
  const extraLength = header.readUInt16LE(28);
  const start = nameEnd + extraLength;
  const nameLength = header.readUInt16LE(26);
  if (nameLength !== entry.nameBytes.length || !header.subarray(HEADER.length).equals(entry.nameBytes))
    throw disagreement(entry, 'name');
  if (start + entry.compressedSize > room) throw overlap(entry);
  if (header.readUInt16LE(8) !== entry.method) throw disagreement(entry, 'compression method');
  const flags = header.readUInt16LE(6);
  if (((flags ^ entry.flags) & DECISIVE_FLAGS) !== 0) throw disagreement(entry, 'encryption');
  const sizes = [
    { value: header.readUInt32LE(22), bytes: 4 },
    { value: header.readUInt32LE(18), bytes: 4 },
  ] as const;
  const crc = header.readUInt32LE(14);
  if ((flags & FLAG.dataDescriptor) !== 0) {
    assertDeferred(entry, crc, sizes[0].value, sizes[1].value);
  } else {
    const extra =
      extraLength === 0 ? Buffer.alloc(0) : await source.read(entry.offset + nameEnd, extraLength);
    const [size, compressedSize] = readZip64Fields(entry.name, extra, sizes);
    if (size !== entry.size || compressedSize !== entry.compressedSize) throw disagreement(entry, 'size');
    if (crc !== entry.crc) throw disagreement(entry, 'checksum');
  }
  return { ...entry, listed: entry, dataOffset: entry.offset + start };
}

/** A header whose sizes come in a descriptor behind the data leaves them blank; some tools fill them in all the same. */
function assertDeferred(entry: DirectoryEntry, crc: number, size: number, compressedSize: number): void {
  const blank = (value: number) => value === 0 || value === 0xffffffff;
  if (!blank(size) && size !== entry.size) throw disagreement(entry, 'size');
  if (!blank(compressedSize) && compressedSize !== entry.compressedSize) throw disagreement(entry, 'size');
  if (crc !== 0 && crc !== entry.crc) throw disagreement(entry, 'checksum');
}

const overlap = ({ name }: DirectoryEntry) => entryIssue(name, 'overlaps another part of the archive.');
const disagreement = ({ name }: DirectoryEntry, what: string) =>
  entryIssue(name, `has another ${what} in its own header than in the directory.`);
