import { constants, crc32, deflateRawSync } from 'node:zlib';
import { type ArchiveCase, invalid, once, PAGE, tooLarge } from './archive-case.ts';
import { bytesOf, end64, type ForgedEntry, writeZip } from './zip-writer.ts';

const MB = 1_048_576;
/** Specification 8.2. */
const FILE_LIMIT = 5 * MB;

interface Zeros {
  raw: Uint8Array;
  crc: number;
}

/**
 * This many megabytes of zeros, deflated. A block that ends in a full flush is independent of others, so one megabyte
 * is built and repeated.
 */
function zeros(megabytes: number): Zeros {
  const plain = new Uint8Array(MB);
  const block = deflateRawSync(plain, { finishFlush: constants.Z_FULL_FLUSH, level: 9 });
  let crc = 0;
  for (let count = 0; count < megabytes; count++) crc = crc32(plain, crc);
  const last = deflateRawSync(new Uint8Array());
  return { raw: Buffer.concat([...Array.from({ length: megabytes }, () => block), last]), crc };
}

const small = once(() => zeros(60));
const huge = once(() => zeros(2_048));
const bomb = ({ raw, crc }: Zeros, size: number): Uint8Array =>
  writeZip([PAGE, { name: 'bomb.txt', raw, crc, size }]);

const many = (count: number, name: (index: number) => string): ForgedEntry[] =>
  Array.from({ length: count }, (_, index) => ({ name: name(index), data: 'x', method: 0 }));

/** Built once, as that takes a second or more. */
const hundredThousand = once(() => writeZip([PAGE, ...many(99_999, (index) => `${index}.txt`)]));

/** 100,000 entries need ZIP64. */
function hundredThousandInZip64(): Uint8Array {
  const plain = hundredThousand();
  const directoryOffset = plain.readUInt32LE(plain.length - 6);
  const directorySize = plain.readUInt32LE(plain.length - 10);
  const record = end64(directoryOffset + directorySize, { entries: 100_000, directorySize, directoryOffset });
  const end = Buffer.from(plain.subarray(-22));
  end.fill(0xff, 8, 20);
  return Buffer.concat([plain.subarray(0, -22), record, end]);
}

const only = (...entries: ForgedEntry[]) => writeZip(entries);

export const limitCases: ArchiveCase[] = [
  tooLarge('a bomb of 60 MB in 60 KB', () => bomb(small(), 60 * MB)),
  invalid('a bomb of 60 MB that declares 1,000 bytes', () => bomb(small(), 1_000)),
  invalid('a bomb of 60 MB that declares nothing', () => bomb(small(), 0)),
  invalid('a bomb of 60 MB that declares 5 MB', () => bomb(small(), FILE_LIMIT)),
  tooLarge('a bomb of 2 GB', () => bomb(huge(), 2_048 * MB)),
  invalid('a bomb of 2 GB that declares 1,000 bytes', () => bomb(huge(), 1_000)),
  invalid('a bomb of 2 GB that declares 5 MB', () => bomb(huge(), FILE_LIMIT)),
  tooLarge('a bomb of 2 GB that declares 4 GB less one', () => bomb(huge(), 0xfffffffe)),
  tooLarge('a file of 5 MB and a byte', () =>
    only(PAGE, { name: 'a.bin', data: new Uint8Array(FILE_LIMIT + 1) }),
  ),
  tooLarge('a stored file of 5 MB and a byte', () =>
    only(PAGE, { name: 'a.bin', data: new Uint8Array(FILE_LIMIT + 1), method: 0 }),
  ),
  invalid('a file of 5 MB and a byte that declares 5 MB', () =>
    only(PAGE, { name: 'a.bin', data: new Uint8Array(FILE_LIMIT + 1), size: FILE_LIMIT }),
  ),
  tooLarge('6 MB of compressed data that declare a byte', () =>
    only(PAGE, { name: 'a.bin', raw: new Uint8Array(6 * MB), size: 1 }),
  ),
  invalid('1,001 files', () => only(PAGE, ...many(1_000, (index) => `${index}.txt`))),
  invalid('100,000 entries', hundredThousandInZip64),
  invalid('100,000 entries in an end record that has no room for the number', hundredThousand),
  invalid('10,000 folders', () =>
    only(PAGE, ...many(10_000, (index) => `${index}/`).map((folder) => ({ ...folder, data: '' }))),
  ),
  invalid('a page under 10,000 skipped files', () =>
    only(PAGE, ...many(10_000, (index) => `.cache/${index}`)),
  ),
  invalid('entries with long comments', () =>
    only(
      PAGE,
      ...many(10, (index) => `${index}.txt`).map((entry) => ({
        ...entry,
        central: { comment: bytesOf('c'.repeat(60_000)) },
      })),
    ),
  ),
  invalid('an empty archive', () => only()),
  invalid('an empty archive with a comment', () => writeZip([], { comment: bytesOf('nothing here') })),
  invalid('only folders', () => only({ name: 'a/', mode: 0o040755 }, { name: 'a/b/', mode: 0o040755 })),
  invalid('only skipped files', () =>
    only(
      { name: '.DS_Store', data: 'x' },
      { name: '__MACOSX/._index.html', data: 'x' },
      { name: 'a/.git/config', data: 'x' },
    ),
  ),
  invalid('no file to begin with', () => only({ name: 'a.txt', data: 'x' }, { name: 'b.css', data: 'x' })),
  invalid('no one file to begin with', () =>
    only({ name: 'a.html', data: 'x' }, { name: 'b.html', data: 'x' }),
  ),
  invalid('an index.html too deep to begin with, and another page', () =>
    only({ name: 'a/b/index.html', data: 'x' }, { name: 'a/c.html', data: 'x' }),
  ),
];
