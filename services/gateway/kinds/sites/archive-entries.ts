import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { archiveIssue, entryIssue, quoted } from '../../archives/archive-issue.ts';
import type { DirectoryEntry } from '../../archives/central-directory.ts';
import { readZip64Fields } from '../../archives/central-directory.ts';
import type { ArchiveSource } from '../../archives/end-record.ts';
import { createPathRegister, isSkippedPath, normaliseSitePath } from './site-paths.ts';

/** General purpose flags (APPNOTE 4.4.4). */
const FLAG = {
  encrypted: 1 << 0,
  dataDescriptor: 1 << 3,
  patch: 1 << 5,
  strongEncryption: 1 << 6,
  maskedHeader: 1 << 13,
} as const;

/** Compression methods that are read (APPNOTE 4.4.5). */
export const METHOD = { stored: 0, deflated: 8 } as const;

/** Type bits of a Unix file mode. */
const MODE = { type: 0o170000, folder: 0o040000, file: 0o100000 } as const;

/** Deflate grows what it cannot compress by less than that. */
const MAX_COMPRESSED_BYTES = LIMITS.siteFileBytes + Math.ceil(LIMITS.siteFileBytes / 100);

/**
 * The entries that are files of the site, each with its normalised path. All entries are judged, also those that are
 * then left out: folders, what macOS puts beside the files, and dotfiles.
 * @throws VALIDATION_FAILED or TOO_LARGE for the first that breaks a rule.
 */
export function selectFiles(entries: DirectoryEntry[], siteMaxBytes: number): Map<DirectoryEntry, string> {
  const files = new Map<DirectoryEntry, string>();
  const register = createPathRegister();
  let total = 0;
  for (const entry of entries) {
    assertReadable(entry);
    const path = pathOf(entry);
    if (path === null || isSkippedPath(path)) continue;
    // More than a site may have are refused below, whatever their paths are: they are only counted.
    const issue = files.size < LIMITS.siteFiles ? register.add(path) : null;
    if (issue !== null) throw archiveIssue(`the path ${quoted(path)} ${issue}`);
    assertFits(entry);
    total += entry.size;
    files.set(entry, path);
  }
  if (files.size > LIMITS.siteFiles)
    throw archiveIssue(`holds ${files.size} files; a site has at most ${LIMITS.siteFiles}.`);
  if (total > siteMaxBytes) throw errors.tooLarge('The site', siteMaxBytes);
  return files;
}

function assertReadable({ name, flags, method, size, compressedSize }: DirectoryEntry): void {
  if ((flags & (FLAG.encrypted | FLAG.strongEncryption | FLAG.maskedHeader)) !== 0)
    throw entryIssue(name, 'is encrypted; send the archive without a password.');
  if ((flags & FLAG.patch) !== 0) throw entryIssue(name, 'is a patch and no file.');
  if (method !== METHOD.stored && method !== METHOD.deflated)
    throw entryIssue(
      name,
      `is compressed by method ${method}; only stored (0) and deflated (8) can be read.`,
    );
  if (method === METHOD.stored && size !== compressedSize)
    throw entryIssue(name, 'is stored, yet has two different sizes.');
}

/** The normalised path of a file, or `null` for a folder. */
function pathOf({ name, mode, size }: DirectoryEntry): string | null {
  const type = mode & MODE.type;
  const isFolder = name.endsWith('/') || type === MODE.folder;
  if (isFolder && size !== 0) throw entryIssue(name, 'is a folder, yet has content.');
  if (type !== 0 && type !== (isFolder ? MODE.folder : MODE.file))
    throw entryIssue(name, 'is a link or a special file; send plain files.');
  if (isFolder && name === './') return null;
  const verdict = normaliseSitePath(isFolder && name.endsWith('/') ? name.slice(0, -1) : name);
  if ('issue' in verdict) throw archiveIssue(`the path ${quoted(name)} ${verdict.issue}`);
  return isFolder ? null : verdict.path;
}

function assertFits({ name, size, compressedSize }: DirectoryEntry): void {
  if (size > LIMITS.siteFileBytes || compressedSize > MAX_COMPRESSED_BYTES)
    throw errors.tooLarge(`The file ${quoted(name)}`, LIMITS.siteFileBytes);
}

/** An entry whose local header has been found to agree with the directory. */
export interface PlacedEntry {
  entry: DirectoryEntry;
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
  return { entry, dataOffset: entry.offset + start };
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
