import { archiveIssue } from './archive-issue.ts';

/** An archive, read piece by piece at given positions. */
export interface ArchiveSource {
  /** Bytes of the whole archive. */
  readonly size: number;
  /** @throws VALIDATION_FAILED when the archive ends before; UNAVAILABLE when it cannot be read */
  read(position: number, length: number): Promise<Buffer>;
}

/** Where an archive's central directory lies, and how many entries it says it has. */
export interface EndRecord {
  entries: number;
  directoryOffset: number;
  directorySize: number;
}

/** Signatures and fixed lengths of APPNOTE 4.3.14 to 4.3.16. */
const END = { signature: Buffer.from('PK\x05\x06', 'latin1'), length: 22, commentMax: 65_535 };
const LOCATOR = { signature: 0x07064b50, length: 20 };
const END64 = { signature: 0x06064b50, length: 56 };

/**
 * Reads the end of central directory record and, where there is one, its ZIP64 companion. The record must end where
 * the archive ends and the directory must end where the record begins, so that no two readers see two archives.
 * @throws VALIDATION_FAILED for what is no ZIP archive, cut off, ambiguous or in several parts.
 */
export async function readEndRecord(source: ArchiveSource): Promise<EndRecord> {
  const tailLength = Math.min(source.size, LOCATOR.length + END.length + END.commentMax);
  const tailOffset = source.size - tailLength;
  const tail = await source.read(tailOffset, tailLength);
  const at = findEnd(tail);
  const record = tail.subarray(at);
  const small = {
    disk: record.readUInt16LE(4),
    directoryDisk: record.readUInt16LE(6),
    entriesHere: record.readUInt16LE(8),
    entries: record.readUInt16LE(10),
    directorySize: record.readUInt32LE(12),
    directoryOffset: record.readUInt32LE(16),
  };
  const locatorAt = at - LOCATOR.length;
  if (locatorAt >= 0 && tail.readUInt32LE(locatorAt) === LOCATOR.signature) {
    const locator = tail.subarray(locatorAt, at);
    return await readEnd64(source, locator, tailOffset + locatorAt, small);
  }
  assertOnePart(small);
  assertAdjacent(small, tailOffset + at);
  return small;
}

interface EndFields extends EndRecord {
  disk: number;
  directoryDisk: number;
  entriesHere: number;
}

/** The first record whose comment reaches to the very end. Another one inside of that comment is a trick. */
function findEnd(tail: Buffer): number {
  const last = tail.length - END.length;
  for (
    let at = tail.indexOf(END.signature);
    at >= 0 && at <= last;
    at = tail.indexOf(END.signature, at + 1)
  ) {
    if (at + END.length + tail.readUInt16LE(at + 20) !== tail.length) continue;
    if (tail.includes(END.signature, at + 4)) throw archiveIssue('has more than one end record.');
    return at;
  }
  throw archiveIssue('is not a ZIP archive, or is cut off: it does not end as one.');
}

async function readEnd64(
  source: ArchiveSource,
  locator: Buffer,
  locatorOffset: number,
  small: EndFields,
): Promise<EndRecord> {
  const offset = toNumber(locator.readBigUInt64LE(8));
  if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) > 1) throw severalParts();
  if (offset + END64.length > locatorOffset) throw inconsistent();
  const record = await source.read(offset, END64.length);
  const length = 12 + toNumber(record.readBigUInt64LE(4));
  if (record.readUInt32LE(0) !== END64.signature || offset + length !== locatorOffset) throw inconsistent();
  const large: EndFields = {
    disk: record.readUInt32LE(16),
    directoryDisk: record.readUInt32LE(20),
    entriesHere: toNumber(record.readBigUInt64LE(24)),
    entries: toNumber(record.readBigUInt64LE(32)),
    directorySize: toNumber(record.readBigUInt64LE(40)),
    directoryOffset: toNumber(record.readBigUInt64LE(48)),
  };
  assertOnePart(large);
  for (const [field, unset] of SENTINELS) {
    if (small[field] !== unset && small[field] !== large[field]) throw inconsistent();
  }
  assertAdjacent(large, offset);
  return large;
}

/** The value by which each field of the small record defers to the large one. */
const SENTINELS = [
  ['disk', 0xffff],
  ['directoryDisk', 0xffff],
  ['entriesHere', 0xffff],
  ['entries', 0xffff],
  ['directorySize', 0xffffffff],
  ['directoryOffset', 0xffffffff],
] as const;

function assertOnePart({ disk, directoryDisk, entriesHere, entries }: EndFields): void {
  if (disk !== 0 || directoryDisk !== 0 || entriesHere !== entries) throw severalParts();
}

function assertAdjacent({ directoryOffset, directorySize }: EndRecord, end: number): void {
  if (directoryOffset + directorySize !== end) throw inconsistent();
}

/** A 64-bit field; past the integers that are exact it cannot be true of any file. */
function toNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw inconsistent();
  return Number(value);
}

const severalParts = () => archiveIssue('is one part of several; send one whole ZIP archive.');
const inconsistent = () => archiveIssue('is damaged: its end record does not fit its directory.');
