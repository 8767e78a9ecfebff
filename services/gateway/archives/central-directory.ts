import { crc32 } from 'node:zlib';
import { LIMITS } from '../../../shared/items/item.ts';
import { archiveIssue, entryIssue } from './archive-issue.ts';
import type { ArchiveSource, EndRecord } from './end-record.ts';

/** One entry as the central directory has it; none of it is to be trusted. */
export interface DirectoryEntry {
  name: string;
  /** Name as both headers have it, which is not always what `name` is read from. */
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
const MAX_ENTRIES = 3 * LIMITS.siteFiles;

const SIGNATURE = 0x02014b50;

/** The header of an entry takes so many bytes at least (APPNOTE 6.3.10, 4.3.12). */
export const MIN_HEADER_BYTES = 46;

/** A header with the longest path in four-byte characters, and room for extra fields and a comment. */
const MAX_BYTES_PER_ENTRY = MIN_HEADER_BYTES + 4 * LIMITS.sitePathCharacters + 512;

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
  if (bytes.length < MIN_HEADER_BYTES || bytes.readUInt32LE(0) !== SIGNATURE) throw damaged();
  const nameEnd = MIN_HEADER_BYTES + bytes.readUInt16LE(28);
  const extraEnd = nameEnd + bytes.readUInt16LE(30);
  const length = headerLength(bytes);
  const nameBytes = bytes.subarray(MIN_HEADER_BYTES, nameEnd);
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
    name,
    nameBytes,
    size,
    compressedSize,
    offset,
    flags: bytes.readUInt16LE(8),
    method: bytes.readUInt16LE(10),
    crc: bytes.readUInt32LE(16),
    mode: bytes.readUInt16LE(40),
  };
  return { entry, length };
}

/** Bytes of the header at the beginning of a part of a directory, of which at least `MIN_HEADER_BYTES` are there. */
export const headerLength = (bytes: Buffer): number =>
  MIN_HEADER_BYTES + bytes.readUInt16LE(28) + bytes.readUInt16LE(30) + bytes.readUInt16LE(32);

const damaged = () => archiveIssue('has a damaged directory.');

/** Header id of the Info-ZIP Unicode Path: version, CRC of the header's name, the name in UTF-8 (APPNOTE 4.6.9). */
const UNICODE_PATH = { id: 0x7075, version: 1, length: 5 };

/**
 * The name of an entry. Names without the UTF-8 flag are read as UTF-8, too: many tools write UTF-8 without setting the
 * flag. Tools that write another encoding may add the name in UTF-8 as an extra field (Unicode Path), which comes first.
 * @throws VALIDATION_FAILED when the name is not UTF-8
 */
export function readEntryName(header: Buffer, extra: Buffer): string {
  const bytes = unicodePathOf(header, extra) ?? header;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw entryIssue(
      bytes.toString('utf8'),
      'has a name that is not UTF-8; zip it with UTF-8 names, or send the files one by one.',
    );
  }
}

/**
 * The entry's Unicode Path. Ignored when its CRC does not match the header's name: then a tool renamed the entry in the
 * header only.
 */
function unicodePathOf(header: Buffer, extra: Buffer): Buffer | null {
  const field = findExtra(extra, UNICODE_PATH.id);
  if (field === null || field.length <= UNICODE_PATH.length) return null;
  if (field[0] !== UNICODE_PATH.version || field.readUInt32LE(1) !== crc32(header)) return null;
  return field.subarray(UNICODE_PATH.length);
}

/** The content of a header's extra field, or `null`. Fields behind a malformed one are not looked for. */
function findExtra(extra: Buffer, id: number): Buffer | null {
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (end > extra.length) return null;
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, end);
    at = end;
  }
  return null;
}

interface Field {
  value: number;
  bytes: 2 | 4;
}

/** Header id of the ZIP64 extended information (APPNOTE 4.5.3). */
const ZIP64_ID = 1;

type Numbers<T extends readonly Field[]> = { [K in keyof T]: number };

/**
 * The true values of header fields, in APPNOTE's order: each one that is all ones is taken from the ZIP64 extra
 * field, where two-byte fields have four bytes and four-byte fields eight.
 * @throws VALIDATION_FAILED where the extra field does not have them.
 */
export function readZip64Fields<const T extends readonly Field[]>(
  name: string,
  extra: Buffer,
  fields: T,
): Numbers<T> {
  const deferred = fields.some(isDeferred);
  const record = deferred ? findExtra(extra, ZIP64_ID) : null;
  if (deferred && record === null) throw entryIssue(name, 'lacks the ZIP64 sizes that it refers to.');
  let at = 0;
  return fields.map((field) => {
    if (record === null || !isDeferred(field)) return field.value;
    const length = 2 * field.bytes;
    if (at + length > record.length) throw entryIssue(name, 'lacks the ZIP64 sizes that it refers to.');
    const value = length === 8 ? record.readBigUInt64LE(at) : BigInt(record.readUInt32LE(at));
    at += length;
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw entryIssue(name, 'has an impossible size.');
    return Number(value);
  }) as Numbers<T>;
}

const isDeferred = ({ value, bytes }: Field): boolean => value === 2 ** (8 * bytes) - 1;
