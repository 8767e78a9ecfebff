import { open } from 'node:fs/promises';
import { crc32, deflateRawSync } from 'node:zlib';

/** The fields of one of an entry's two headers. */
interface HeaderClaims {
  name: string | Uint8Array;
  flags: number;
  method: number;
  crc: number;
  compressedSize: number;
  size: number;
  extra: Uint8Array;
}

/** An entry that may say other things than it does, in one header or in both. */
export interface ForgedEntry extends Partial<HeaderClaims> {
  name: string | Uint8Array;
  /** The content; deflated unless `method` is 0. */
  data?: string | Uint8Array;
  /** The bytes that stand for the content, instead of the content deflated or stored. */
  raw?: Uint8Array;
  local?: Partial<HeaderClaims>;
  central?: Partial<HeaderClaims> & {
    offset?: number;
    disk?: number;
    externalAttributes?: number;
    madeBy?: number;
    comment?: Uint8Array;
  };
  /** Unix mode, in the upper half of the external attributes. */
  mode?: number;
  /** Blank sizes in the local header, and a descriptor behind the data, as streaming tools write. */
  descriptor?: boolean;
  /** Listed in the directory only; `central.offset` says where its header is meant to be. */
  listedOnly?: boolean;
  /** Bytes between this entry's data and what follows. */
  gap?: Uint8Array;
}

export interface ForgedEnd {
  disk?: number;
  directoryDisk?: number;
  entriesHere?: number;
  entries?: number;
  directorySize?: number;
  directoryOffset?: number;
  comment?: Uint8Array;
  commentLength?: number;
  /** Bytes between the directory and the end record. */
  before?: Uint8Array;
}

export const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

/** Little-endian numbers, each of so many bytes. */
export function packNumbers(...fields: Array<[value: number | bigint, bytes: 2 | 4 | 8]>): Buffer {
  const packed = Buffer.alloc(fields.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of fields) {
    if (bytes === 8) packed.writeBigUInt64LE(BigInt(value), at);
    else packed.writeUIntLE(Number(value), at, bytes);
    at += bytes;
  }
  return packed;
}

/** An extra field with its id and length. */
export const extraField = (id: number, content: Uint8Array): Buffer =>
  Buffer.concat([packNumbers([id, 2], [content.length, 2]), content]);

/** The Info-ZIP Unicode Path of an entry whose headers have this name (APPNOTE 4.6.9). */
export const unicodePath = (name: Uint8Array, path: string | Uint8Array, { version = 1 } = {}): Buffer =>
  extraField(0x7075, Buffer.concat([Uint8Array.of(version), packNumbers([crc32(name), 4]), bytesOf(path)]));

export const localHeader = ({ name, flags, method, crc, compressedSize, size, extra }: HeaderClaims) =>
  Buffer.concat([
    packNumbers([0x04034b50, 4], [20, 2], [flags, 2], [method, 2], [0, 2], [0x21, 2], [crc, 4]),
    packNumbers([compressedSize, 4], [size, 4], [bytesOf(name).length, 2], [extra.length, 2]),
    bytesOf(name),
    extra,
  ]);

function centralHeader(claims: HeaderClaims, entry: ForgedEntry, written: number): Buffer {
  const { name, flags, method, crc, compressedSize, size, extra } = claims;
  const { offset = written, disk = 0, madeBy = 0x0314, comment = new Uint8Array() } = entry.central ?? {};
  const attributes = entry.central?.externalAttributes ?? (entry.mode ?? 0o100644) * 0x10000;
  return Buffer.concat([
    packNumbers([0x02014b50, 4], [madeBy, 2], [20, 2], [flags, 2], [method, 2], [0, 2], [0x21, 2]),
    packNumbers([crc, 4], [compressedSize, 4], [size, 4], [bytesOf(name).length, 2], [extra.length, 2]),
    packNumbers([comment.length, 2], [disk, 2], [0, 2], [attributes, 4], [offset, 4]),
    bytesOf(name),
    extra,
    comment,
  ]);
}

export const endRecord = (end: Required<Omit<ForgedEnd, 'before'>>): Buffer =>
  Buffer.concat([
    packNumbers([0x06054b50, 4], [end.disk, 2], [end.directoryDisk, 2], [end.entriesHere, 2]),
    packNumbers([end.entries, 2], [end.directorySize, 4], [end.directoryOffset, 4], [end.commentLength, 2]),
    end.comment,
  ]);

/** The fields of an honest entry in both headers, overridden by the forged ones. */
function claimsOf(entry: ForgedEntry): { claims: HeaderClaims; stored: Uint8Array } {
  const data = bytesOf(entry.data ?? '');
  const method = entry.method ?? 8;
  const stored = entry.raw ?? (method === 0 ? data : deflateRawSync(data));
  const { name, flags = 0x800, crc = crc32(data), compressedSize = stored.length } = entry;
  const { size = data.length, extra = new Uint8Array() } = entry;
  return { claims: { name, flags, method, crc, compressedSize, size, extra }, stored };
}

/** Writes a ZIP archive that is honest but for what its entries and its end are told to forge. */
export function writeZip(entries: ForgedEntry[], end: ForgedEnd = {}): Buffer {
  const body: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  const put = (...parts: Uint8Array[]): void => {
    for (const part of parts) {
      body.push(part);
      offset += part.length;
    }
  };
  for (const entry of entries) {
    const { claims, stored } = claimsOf(entry);
    if (entry.descriptor) claims.flags |= 8;
    const blank = entry.descriptor ? { crc: 0, compressedSize: 0, size: 0 } : {};
    directory.push(centralHeader({ ...claims, ...entry.central }, entry, offset));
    if (entry.listedOnly) continue;
    put(localHeader({ ...claims, ...blank, ...entry.local }), stored);
    if (entry.descriptor)
      put(packNumbers([0x08074b50, 4], [claims.crc, 4], [claims.compressedSize, 4], [claims.size, 4]));
    if (entry.gap) put(entry.gap);
  }
  const directorySize = directory.reduce((sum, header) => sum + header.length, 0);
  const { before = new Uint8Array(), comment = new Uint8Array(), ...forged } = end;
  const record = endRecord({
    disk: 0,
    directoryDisk: 0,
    entriesHere: entries.length % 0x10000,
    entries: entries.length % 0x10000,
    directorySize,
    directoryOffset: offset,
    comment,
    commentLength: comment.length,
    ...forged,
  });
  return Buffer.concat([...body, ...directory, before, record]);
}

export interface ForgedEnd64 {
  entries: number | bigint;
  directorySize: number | bigint;
  directoryOffset: number | bigint;
  entriesHere?: number | bigint;
  disk?: number;
  disks?: number;
  locatorOffset?: number | bigint;
  recordSize?: number;
  signature?: number;
}

/** A ZIP64 end record and its locator, to stand before the small end record at `at`. */
export const end64 = (at: number, end: ForgedEnd64): Buffer =>
  Buffer.concat([
    packNumbers([end.signature ?? 0x06064b50, 4], [end.recordSize ?? 44, 8], [45, 2], [45, 2]),
    packNumbers([end.disk ?? 0, 4], [0, 4], [end.entriesHere ?? end.entries, 8], [end.entries, 8]),
    packNumbers([end.directorySize, 8], [end.directoryOffset, 8]),
    packNumbers([0x07064b50, 4], [0, 4], [end.locatorOffset ?? at, 8], [end.disks ?? 1, 4]),
  ]);

const UNSET = 0xffffffff;
const HOLE = 4_500_000_000;

/** A sound archive of one page behind a skipped file of 4.5 GB, which is a hole in the file and takes no disk. */
export async function writeBeyond4GB(path: string): Promise<void> {
  const sizes = extraField(1, packNumbers([HOLE, 8], [HOLE, 8]));
  const pack = {
    name: '.pack',
    flags: 0x800,
    method: 0,
    crc: 0,
    size: UNSET,
    compressedSize: UNSET,
    extra: sizes,
  };
  const head = localHeader(pack);
  const shift = head.length + HOLE;
  const index = { name: 'index.html', data: '<p>Far out.' };
  const entries = [
    { ...index, central: { offset: UNSET, extra: extraField(1, packNumbers([shift, 8])) } },
    { ...pack, listedOnly: true, central: { offset: 0 } },
  ];
  const plain = writeZip(entries);
  const directorySize = plain.readUInt32LE(plain.length - 10);
  const directoryOffset = shift + plain.readUInt32LE(plain.length - 6);
  const before = end64(directoryOffset + directorySize, { entries: 2, directorySize, directoryOffset });
  const tail = writeZip(entries, { directoryOffset: UNSET, before });
  const file = await open(path, 'wx');
  try {
    await file.write(head, 0, head.length, 0);
    await file.write(tail, 0, tail.length, shift);
  } finally {
    await file.close();
  }
}
