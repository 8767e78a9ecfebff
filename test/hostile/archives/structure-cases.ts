import { gzipSync } from 'node:zlib';
import { type ArchiveCase, invalid, once, PAGE } from './archive-case.ts';
import { endRecord, type ForgedEnd, localHeader, packNumbers, writeZip } from './zip-writer.ts';

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
const entries = [
  PAGE,
  { name: 'css/site.css', data: 'p { color: teal }'.repeat(20) },
  { name: 'a.txt', data: 'a' },
];
const whole = once(() => writeZip(entries));
const END = 22;

const NO_ARCHIVES: Record<string, () => Uint8Array> = {
  'nothing at all': () => new Uint8Array(),
  'one byte': () => ascii('P'),
  'the first two letters of a ZIP': () => ascii('PK'),
  text: () => ascii('This is not the archive you are looking for.\n'.repeat(10)),
  HTML: () => ascii('<!doctype html><title>Perch</title>'),
  PNG: () => Buffer.from(`89504e470d0a1a0a0000000d49484452${'00'.repeat(40)}`, 'hex'),
  gzip: () => gzipSync('hello'),
  tar: () => Buffer.concat([ascii('index.html'.padEnd(257, '\0')), ascii('ustar\0'.padEnd(1_279, '\0'))]),
  '7z': () => Buffer.from(`377abcaf271c0004${'00'.repeat(60)}`, 'hex'),
  'a lone local header': () =>
    localHeader({
      name: 'index.html',
      flags: 0,
      method: 0,
      crc: 0,
      compressedSize: 0,
      size: 0,
      extra: ascii(''),
    }),
  zeros: () => new Uint8Array(100_000),
  'end records end to end': () => Buffer.concat(Array.from({ length: 3_000 }, () => emptyEnd())),
};

const emptyEnd = (comment: Uint8Array = ascii(''), commentLength = comment.length): Buffer =>
  endRecord({
    disk: 0,
    directoryDisk: 0,
    entriesHere: 0,
    entries: 0,
    directorySize: 0,
    directoryOffset: 0,
    comment,
    commentLength,
  });

const CUTS = [0.02, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9];
const LAST_BYTES = [1, 2, 10, END - 4, END - 1, END, END + 1];

const FORGED_ENDS: Record<string, ForgedEnd> = {
  'disk 1 of several': { disk: 1 },
  'a directory on another disk': { directoryDisk: 1 },
  'fewer entries on this disk than in all': { entriesHere: 2 },
  'all of a ZIP64 end without one': {
    disk: 0xffff,
    directoryDisk: 0xffff,
    entriesHere: 0xffff,
    entries: 0xffff,
    directorySize: 0xffffffff,
    directoryOffset: 0xffffffff,
  },
  'a ZIP64 directory offset without ZIP64': { directoryOffset: 0xffffffff },
  'a ZIP64 directory size without ZIP64': { directorySize: 0xffffffff },
  'a directory outside of the archive': { directoryOffset: 0x7fffffff },
  'a directory at the beginning': { directoryOffset: 0 },
  'a directory one byte off': { directoryOffset: 1 },
  'a directory that is too large': { directorySize: 0x10000000 },
  'a directory of no size': { directorySize: 0 },
  'fewer entries than there are': { entries: 2, entriesHere: 2 },
  'more entries than there are': { entries: 4, entriesHere: 4 },
  'no entries where there are some': { entries: 0, entriesHere: 0 },
  'far more entries than there are': { entries: 0xfffe, entriesHere: 0xfffe },
  'a comment longer than it is': { commentLength: 10 },
  'a comment shorter than it is': { comment: ascii('a comment'), commentLength: 3 },
  'a gap before the end record': { before: ascii('....') },
  'a digital signature of 65,535 bytes that is not there': {
    before: packNumbers([0x05054b50, 4], [0xffff, 2]),
  },
};

function secondArchive(): Uint8Array {
  const other = writeZip([{ name: 'index.html', data: 'another archive' }]);
  return writeZip(entries, { comment: other });
}

export const structureCases: ArchiveCase[] = [
  ...Object.entries(NO_ARCHIVES).map(([what, build]) => invalid(`no ZIP: ${what}`, build)),
  ...CUTS.map((part) =>
    invalid(`cut off after ${part * 100} %`, () => whole().subarray(0, Math.floor(whole().length * part))),
  ),
  ...LAST_BYTES.map((count) =>
    invalid(`cut off by ${count} bytes`, () => whole().subarray(0, whole().length - count)),
  ),
  invalid('bytes behind the end record', () => Buffer.concat([whole(), ascii('\n')])),
  invalid('a second archive behind the first', () => Buffer.concat([whole(), whole()])),
  invalid('bytes before the first entry that no offset knows of', () =>
    Buffer.concat([ascii('GIF89a'), whole()]),
  ),
  ...Object.entries(FORGED_ENDS).map(([what, end]) =>
    invalid(`the end says: ${what}`, () => writeZip(entries, end)),
  ),
  invalid('two end records: an archive in the comment', secondArchive),
  invalid('two end records: an empty one in the comment', () => writeZip(entries, { comment: emptyEnd() })),
  invalid('two end records: one in the comment whose comment does not end there', () =>
    writeZip(entries, { comment: emptyEnd(ascii(''), 99) }),
  ),
  invalid('two end records, one after the other', () => Buffer.concat([whole(), whole().subarray(-END)])),
  invalid('a directory with a header that is none', () => {
    const bytes = Buffer.from(whole());
    bytes.writeUInt32LE(0x02014b51, bytes.readUInt32LE(bytes.length - 6));
    return bytes;
  }),
  invalid('a directory whose names reach behind its end', () => {
    const bytes = Buffer.from(whole());
    bytes.writeUInt16LE(0xffff, bytes.readUInt32LE(bytes.length - 6) + 28);
    return bytes;
  }),
];
