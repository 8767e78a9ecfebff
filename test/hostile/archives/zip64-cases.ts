import { type ArchiveCase, invalid, PAGE } from './archive-case.ts';
import {
  end64,
  extraField,
  type ForgedEnd64,
  type ForgedEntry,
  packNumbers,
  writeZip,
} from './zip-writer.ts';

const UNSET = 0xffffffff;
const zip64 = (...values: Array<number | bigint>) =>
  extraField(1, packNumbers(...values.map((value): [number | bigint, 8] => [value, 8])));

const PAGE_LENGTH = String(PAGE.data).length;

const FORGED_ENTRIES: Record<string, ForgedEntry['central']> = {
  'a size without the extra field': { size: UNSET },
  'a compressed size without the extra field': { compressedSize: UNSET },
  'an offset without the extra field': { offset: UNSET },
  'a disk without the extra field': { disk: 0xffff },
  'an extra field of another kind': { size: UNSET, extra: extraField(0x5455, packNumbers([PAGE_LENGTH, 8])) },
  'an extra field that is too short': { size: UNSET, compressedSize: UNSET, extra: zip64(PAGE_LENGTH) },
  'an empty extra field': { size: UNSET, extra: zip64() },
  'an extra field that ends behind the header': {
    size: UNSET,
    extra: packNumbers([1, 2], [100, 2], [PAGE_LENGTH, 8]),
  },
  'a size past all integers': { size: UNSET, extra: zip64(2n ** 64n - 1n) },
  'an offset past all integers': { offset: UNSET, extra: zip64(2n ** 63n) },
  'an offset outside of the archive': { offset: UNSET, extra: zip64(2 ** 40) },
  'another disk': { disk: 0xffff, extra: extraField(1, packNumbers([3, 4])) },
  'another disk in plain': { disk: 1 },
};

/** An archive whose end is ZIP64 and forged, in the large record or the small one, or with a gap before both. */
const withEnd64 = (
  forged: Partial<ForgedEnd64>,
  small: { entries?: number; directorySize?: number } = {},
  gap = 0,
): Uint8Array => {
  const plain = writeZip([PAGE]);
  const directoryOffset = plain.readUInt32LE(plain.length - 6);
  const directorySize = plain.readUInt32LE(plain.length - 10);
  const honest = { entries: 1, directorySize, directoryOffset };
  const record = end64(directoryOffset + directorySize + gap, { ...honest, ...forged });
  const before = Buffer.concat([Buffer.alloc(gap), record]);
  const unset = { entries: 0xffff, entriesHere: 0xffff, directorySize: UNSET, directoryOffset: UNSET };
  return writeZip([PAGE], { ...unset, ...small, before });
};

const FORGED_ENDS: Record<string, Partial<ForgedEnd64>> = {
  'more disks than one': { disks: 2 },
  'another disk': { disk: 1 },
  'fewer entries here than in all': { entriesHere: 0 },
  'a locator that points nowhere': { locatorOffset: 2n ** 40n },
  'a locator that points past all integers': { locatorOffset: 2n ** 64n - 1n },
  'a locator that points to the first entry': { locatorOffset: 0 },
  'a record of another kind': { signature: 0x06064b51 },
  'a record that is too long': { recordSize: 10_000 },
  'a record that is too short': { recordSize: 4 },
  'no entries': { entries: 0, entriesHere: 0 },
  'a million million entries': { entries: 10n ** 12n, entriesHere: 10n ** 12n },
  'entries past all integers': { entries: 2n ** 64n - 1n, entriesHere: 2n ** 64n - 1n },
  'a directory past all integers': { directorySize: 2n ** 63n },
  'a directory outside of the archive': { directoryOffset: 2n ** 40n },
};

export const zip64Cases: ArchiveCase[] = [
  ...Object.entries(FORGED_ENTRIES).map(([what, central]) =>
    invalid(`ZIP64 entry: ${what}`, () =>
      writeZip([PAGE, { name: 'a.txt', data: 'a', ...(central === undefined ? {} : { central }) }]),
    ),
  ),
  invalid('ZIP64 entry: a size in the local header without the extra field', () =>
    writeZip([PAGE, { name: 'a.txt', data: 'a', local: { size: UNSET, compressedSize: UNSET } }]),
  ),
  invalid('ZIP64 entry: other sizes in the local extra field', () =>
    writeZip([
      PAGE,
      { name: 'a.txt', data: 'a', local: { size: UNSET, compressedSize: UNSET, extra: zip64(1, 9_999) } },
    ]),
  ),
  ...Object.entries(FORGED_ENDS).map(([what, forged]) =>
    invalid(`ZIP64 end: ${what}`, () => withEnd64(forged)),
  ),
  invalid('ZIP64 end: another number of entries than the small one', () => withEnd64({}, { entries: 2 })),
  invalid('ZIP64 end: a gap before it', () => withEnd64({}, {}, 4)),
  invalid('ZIP64 end: another directory than the small one', () => withEnd64({}, { directorySize: 1 })),
];
