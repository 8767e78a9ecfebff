import { crc32, deflateRawSync } from 'node:zlib';
import { type ArchiveCase, invalid, PAGE } from './archive-case.ts';
import { extraField, type ForgedEntry, localHeader, packNumbers, writeZip } from './zip-writer.ts';

const TEXT = 'All the birds of the air fell a-sighing and a-sobbing. '.repeat(40);
const deflated = deflateRawSync(TEXT);
const a: ForgedEntry = { name: 'a.txt', data: TEXT };
const withEntry = (name: string, entry: Partial<ForgedEntry>): ArchiveCase =>
  invalid(name, () => writeZip([PAGE, { ...a, ...entry }, { name: 'z.txt', data: 'z' }]));

/** An archive whose second local header begins with other letters than it should. */
function unsigned(): Uint8Array {
  const bytes = writeZip([PAGE, a]);
  bytes.write('PK\x03\x05', bytes.indexOf('a.txt') - 30, 'latin1');
  return bytes;
}
const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));

const AES = extraField(0x9901, hex('0200 4145 03 0800'));

const ENCRYPTED: Record<string, Partial<ForgedEntry>> = {
  'traditional encryption': { flags: 0x801, raw: Buffer.concat([new Uint8Array(12), deflated]) },
  'AES encryption': { flags: 0x801, method: 99, extra: AES, raw: deflated, size: TEXT.length },
  'strong encryption': { flags: 0x841 },
  'strong encryption without its first flag': { flags: 0x840 },
  'an encrypted directory': { flags: 0x2800 },
  'encryption that only the local header tells': { local: { flags: 0x801 } },
  'encryption that only the directory tells': { central: { flags: 0x801 } },
  'a skipped file that is encrypted': { name: '.hidden', flags: 0x801 },
  'a patch': { flags: 0x820 },
};

const DISAGREEING: Record<string, Partial<ForgedEntry>> = {
  'another name': { local: { name: 'b.txt' } },
  'a longer name': { local: { name: 'a.txt.exe' } },
  'a name out of the site': { local: { name: '../a.txt' } },
  'another name of one letter in another case': { local: { name: 'A.txt' } },
  'another method': { local: { method: 0 } },
  'a larger size': { local: { size: TEXT.length + 1 } },
  'a smaller size': { local: { size: 1 } },
  'no size': { local: { size: 0 } },
  'another compressed size': { local: { compressedSize: deflated.length - 1 } },
  'another checksum': { local: { crc: 1 } },
  'another size, with a descriptor': { descriptor: true, local: { size: 7 } },
  'another checksum, with a descriptor': { descriptor: true, local: { crc: 7 } },
};

const FORGED: Record<string, Partial<ForgedEntry>> = {
  'a size one too small': { size: TEXT.length - 1 },
  'a size one too large': { size: TEXT.length + 1 },
  'a size of none': { size: 0 },
  'a size of 5 MB': { size: 5 * 1_048_576 },
  'a compressed size one too small': { compressedSize: deflated.length - 1, gap: hex('00') },
  'a compressed size of none': { compressedSize: 0 },
  'a wrong checksum': { crc: 0x12345678 },
  'no checksum': { crc: 0 },
  'stored in fewer bytes than it has': { method: 0, size: TEXT.length + 5 },
  'stored in more bytes than it has': { method: 0, size: 5 },
  'stored with a wrong checksum': { method: 0, crc: 1 },
  'garbage behind the deflate stream': { raw: Buffer.concat([deflated, Buffer.from('garbage')]) },
  'a second deflate stream behind the first': { raw: Buffer.concat([deflated, deflated]) },
  'a deflate stream that is cut off': { raw: deflated.subarray(0, -3) },
  'an empty deflate stream': { raw: new Uint8Array() },
  'a deflate stream with a byte changed': {
    raw: Uint8Array.from(deflated, (byte, index) => (index === 30 ? byte ^ 0xff : byte)),
  },
  'a deflate block of no type': { raw: hex('07') },
  'a stored block whose lengths disagree': { raw: hex('01 0500 0000 68656c6c6f') },
  'a distance too far back': { raw: hex('03 02 00 00'), size: 3 },
  'text instead of a deflate stream': { raw: Buffer.from(TEXT) },
  'a zlib stream instead of a raw one': { raw: Buffer.concat([hex('789c'), deflated]) },
};

const METHODS = {
  shrunk: 1,
  imploded: 6,
  deflate64: 9,
  bzip2: 12,
  LZMA: 14,
  zstd: 93,
  XZ: 95,
  PPMd: 98,
  none: 65_535,
};

const OVERLAPPING: Record<string, () => Uint8Array> = {
  'two names for one entry': () =>
    writeZip([a, PAGE, { ...a, name: 'b.txt', listedOnly: true, central: { offset: 0 } }]),
  'data that covers the next header': () =>
    writeZip([PAGE, { ...a, compressedSize: deflated.length + 1 }, { name: 'z.txt', data: 'z' }]),
  'data that covers the next entry': () =>
    writeZip([
      PAGE,
      { name: 'a', data: 'x', method: 0, compressedSize: 60, size: 60 },
      { name: 'z', data: 'zz' },
    ]),
  'data that covers the directory': () =>
    writeZip([PAGE, { name: 'a', data: 'x', method: 0, compressedSize: 40, size: 40 }]),
  'data that reaches behind the archive': () =>
    writeZip([PAGE, { name: 'a', data: 'x', method: 0, compressedSize: 4_000, size: 4_000 }]),
  'an extra field that covers the next entry': () => {
    const bytes = writeZip([PAGE, a, { name: 'z.txt', data: 'z' }]);
    bytes.writeUInt16LE(0xffff, bytes.indexOf('a.txt') - 2);
    return bytes;
  },
  'an entry inside of the data of another': () => {
    const inner = localHeader({
      name: 'b',
      flags: 0x800,
      method: 0,
      crc: crc32('x'),
      compressedSize: 1,
      size: 1,
      extra: hex(''),
    });
    const outer = { name: 'outer.zip', method: 0, data: Buffer.concat([inner, Buffer.from('x')]) };
    return writeZip([
      outer,
      PAGE,
      { name: 'b', data: 'x', method: 0, listedOnly: true, central: { offset: 39 } },
    ]);
  },
  'an entry inside of the directory': () =>
    writeZip([PAGE, { ...a, listedOnly: true, central: { offset: writeZip([PAGE]).length - 60 } }]),
  'an entry behind the archive': () => writeZip([PAGE, { ...a, central: { offset: 1_000_000 } }]),
  'an entry in the middle of nowhere': () => writeZip([PAGE, { ...a, central: { offset: 3 } }]),
  'a small overlapping bomb of quoted headers': () => quotedBomb(30, 2_000_000),
};

/** Each file quotes the header of the next in a stored block and then shares its data (D. Fifield, 2019). */
function quotedBomb(count: number, kernelSize: number): Uint8Array {
  const kernel = new Uint8Array(kernelSize);
  let content: Uint8Array = kernel;
  let raw: Uint8Array = deflateRawSync(kernel);
  const layers: Array<{ entry: ForgedEntry; headerLength: number; rawLength: number }> = [];
  let whole = raw;
  for (let index = count - 1; index >= 0; index--) {
    const name = `${index}.bin`;
    const claims = { name, flags: 0x800, method: 8, crc: crc32(content), compressedSize: raw.length };
    const header = localHeader({ ...claims, size: content.length, extra: hex('') });
    layers.unshift({
      entry: { ...claims, size: content.length },
      headerLength: header.length,
      rawLength: raw.length,
    });
    whole = Buffer.concat([header, raw]);
    const quote = Buffer.concat([hex('00'), packNumbers([header.length, 2], [header.length ^ 0xffff, 2])]);
    raw = Buffer.concat([quote, whole]);
    content = Buffer.concat([header, content]);
  }
  const listed = layers.map(({ entry, headerLength, rawLength }, index) => ({
    ...entry,
    raw: index === 0 ? whole.subarray(headerLength) : hex(''),
    listedOnly: index > 0,
    central: { offset: whole.length - headerLength - rawLength },
  }));
  return writeZip([...listed, PAGE]);
}

const named = (kind: string, entries: Record<string, Partial<ForgedEntry>>): ArchiveCase[] =>
  Object.entries(entries).map(([what, entry]) => withEntry(`${kind}: ${what}`, entry));

export const entryCases: ArchiveCase[] = [
  ...named('encrypted', ENCRYPTED),
  ...named('a local header with', DISAGREEING),
  invalid('a local header with: another signature', unsigned),
  ...named('forged content', FORGED),
  ...Object.entries(METHODS).map(([what, method]) =>
    withEntry(`a method that cannot be read: ${what}`, { method, raw: deflated }),
  ),
  ...Object.entries(OVERLAPPING).map(([what, build]) => invalid(`overlapping: ${what}`, build)),
];
