import { strToU8, Zip, ZipDeflate, type ZipOptions, ZipPassThrough, zipSync } from 'fflate';
import { once } from './archive-case.ts';
import {
  bytesOf,
  end64,
  extraField,
  type ForgedEntry,
  packNumbers,
  unicodePath,
  writeZip,
} from './zip-writer.ts';

/** An upload that must be taken, and what it must become. */
export interface ValidArchive {
  name: string;
  /** The files of the site, sorted, with the single top folder dropped. */
  files: Record<string, Uint8Array>;
  entryFile: string;
  build(): Uint8Array;
}

const HTML = strToU8(
  '<!doctype html><title>Perch</title><link rel="stylesheet" href="css/site.css"><p>Hello.',
);
const CSS = strToU8('p { color: teal }\n'.repeat(50));
const PIXELS = Uint8Array.from({ length: 5_000 }, (_, index) => (index * index * 31 + (index >> 3)) % 256);

const SITE = {
  '404.html': strToU8('<p>Nothing here.'),
  'css/site.css': CSS,
  'img/a.png': PIXELS,
  'index.html': HTML,
};

const valid = (
  name: string,
  build: () => Uint8Array,
  files: Record<string, Uint8Array> = SITE,
  entryFile = 'index.html',
): ValidArchive => ({ name, files, entryFile, build: once(build) });

const inFolder = (folder: string, files: Record<string, Uint8Array>): Record<string, Uint8Array> =>
  Object.fromEntries(Object.entries(files).map(([path, bytes]) => [`${folder}/${path}`, bytes]));

const forged = (files: Record<string, Uint8Array>, more: Partial<ForgedEntry> = {}): ForgedEntry[] =>
  Object.entries(files).map(([name, data]) => ({ name, data, ...more }));

const folder = (name: string): ForgedEntry => ({ name, mode: 0o040755, method: 0 });

/** Local time, which is what archives hold, so that the bytes are the same everywhere and always. */
const mtime = new Date(2026, 0, 1);

const zipped = (files: Record<string, Uint8Array>, options: ZipOptions = {}): Uint8Array =>
  zipSync(files, { ...options, mtime });

/** As tools write to a pipe: sizes behind the data, stored and deflated files in turn. */
function streamed(): Uint8Array {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  for (const [index, [path, bytes]] of Object.entries(SITE).entries()) {
    const file = index % 2 === 0 ? new ZipDeflate(path) : new ZipPassThrough(path);
    file.mtime = mtime;
    zip.add(file);
    for (let at = 0; at < bytes.length; at += 100) file.push(bytes.subarray(at, at + 100));
    file.push(new Uint8Array(), true);
  }
  zip.end();
  return Buffer.concat(chunks);
}

/** Every size and offset, and the end, in ZIP64 although nothing is large. */
function zip64(): Uint8Array {
  const plain = writeZip(forged(SITE, { method: 0 }));
  const unset = 0xffffffff;
  const extraLength = 20;
  let offset = 0;
  const entries = Object.entries(SITE).map(([name, data]): ForgedEntry => {
    const sizes: Array<[number, 8]> = [
      [data.length, 8],
      [data.length, 8],
    ];
    const extra = extraField(1, packNumbers(...sizes));
    const listed = extraField(1, packNumbers(...sizes, [offset, 8]));
    const claims = { size: unset, compressedSize: unset };
    offset += 30 + name.length + extraLength + data.length;
    return {
      name,
      data,
      method: 0,
      local: { ...claims, extra },
      central: { ...claims, extra: listed, offset: unset },
    };
  });
  const directorySize = plain.readUInt32LE(plain.length - 10) + entries.length * 28;
  const before = end64(offset + directorySize, {
    entries: entries.length,
    directorySize,
    directoryOffset: offset,
  });
  const count = { entries: 0xffff, entriesHere: 0xffff };
  return writeZip(entries, { ...count, directorySize: unset, directoryOffset: unset, before });
}

const ODD_NAMES = {
  '%2e%2e/%2fetc.txt': strToU8('percent signs are only letters here'),
  'a b?#&=.txt': strToU8('to be encoded in addresses'),
  'a..b/c...txt': strToU8('dots within names'),
  'con/nul.txt': strToU8('names that Windows keeps for itself'),
  'index.html': HTML,
};

const UNICODE = { 'index.html': HTML, '日本/🐦.txt': strToU8('bird'), 'größe/ä.css': CSS };

const clutter = {
  '__MACOSX/._index.html': PIXELS,
  '.DS_Store': PIXELS,
  '.git/config': CSS,
  'css/.cache/x': CSS,
  '__MACOSX/css/._site.css': PIXELS,
  'css/.htaccess': CSS,
};

const thousand = Object.fromEntries(
  Array.from({ length: 999 }, (_, index) => [
    `data/${String(index).padStart(3, '0')}.txt`,
    strToU8(`${index}`),
  ]),
);

export const validArchives: ValidArchive[] = [
  valid('plain', () => zipped(SITE)),
  valid('in one top folder', () => zipped(inFolder('my site', SITE))),
  valid('with folders of their own', () =>
    writeZip([folder('./'), folder('css/'), folder('img/'), folder('empty/'), ...forged(SITE)]),
  ),
  valid('with what macOS adds, and dotfiles', () => zipped({ ...clutter, ...SITE })),
  valid('in one top folder, with what macOS adds beside it', () =>
    zipped({
      ...inFolder('site', SITE),
      ...inFolder('__MACOSX', inFolder('site', clutter)),
      '.DS_Store': PIXELS,
    }),
  ),
  valid('with a skipped file that would be too large', () =>
    zipped({ ...SITE, '.git/pack': new Uint8Array(6 * 1_048_576) }),
  ),
  valid('streamed, with descriptors', streamed),
  valid('with descriptors without a signature', () =>
    writeZip(
      forged(SITE, { flags: 0x808, local: { crc: 0, size: 0, compressedSize: 0 }, gap: new Uint8Array(12) }),
    ),
  ),
  valid('all stored', () => zipped(SITE, { level: 0 })),
  valid('all deflated as far as it goes', () => zipped(SITE, { level: 9 })),
  valid('names in UTF-8', () => writeZip(forged(UNICODE)), UNICODE),
  valid('names in UTF-8 without the flag', () => writeZip(forged(UNICODE, { flags: 0 })), UNICODE),
  valid(
    'names in another encoding, with Unicode Paths in one header or in both',
    () =>
      writeZip(
        Object.entries(UNICODE).map(([path, data], index): ForgedEntry => {
          const name = Buffer.from(path, 'latin1');
          const extra = unicodePath(name, path);
          return { name, data, flags: 0, ...(index === 1 ? { central: { extra } } : { extra }) };
        }),
      ),
    UNICODE,
  ),
  valid('names in UTF-8, with Unicode Paths of names that they had before', () =>
    writeZip(forged(SITE).map((entry) => ({ ...entry, extra: unicodePath(bytesOf('old.txt'), 'old.txt') }))),
  ),
  valid(
    'names in NFD become NFC',
    () => writeZip(forged(UNICODE).map((entry) => ({ ...entry, name: String(entry.name).normalize('NFD') }))),
    UNICODE,
  ),
  valid('names that only look dangerous', () => writeZip(forged(ODD_NAMES)), ODD_NAMES),
  valid('names that begin with ./', () => writeZip(forged(inFolder('.', SITE)))),
  valid('ZIP64 although it is small', zip64),
  valid('with a comment', () => writeZip(forged(SITE), { comment: strToU8('PK is how it begins') })),
  valid('with the longest comment', () => writeZip(forged(SITE), { comment: new Uint8Array(65_535) })),
  valid('with extra fields and file comments', () =>
    writeZip(
      forged(SITE, {
        extra: extraField(0x5455, new Uint8Array(5)),
        central: { comment: strToU8('a comment'), extra: extraField(0x000a, new Uint8Array(32)) },
      }),
    ),
  ),
  valid('made on Windows', () =>
    writeZip(forged(SITE, { central: { madeBy: 0x0014, externalAttributes: 0x20 } })),
  ),
  valid('with gaps between the entries', () => writeZip(forged(SITE, { gap: new Uint8Array(100) }))),
  valid(
    'an archive in the archive',
    () => zipped({ ...SITE, 'all.zip': zipped(SITE, { level: 0 }) }, { level: 0 }),
    {
      ...SITE,
      'all.zip': zipped(SITE, { level: 0 }),
    },
  ),
  valid('an empty file', () => zipped({ ...SITE, 'empty.txt': new Uint8Array() }), {
    ...SITE,
    'empty.txt': new Uint8Array(),
  }),
  valid(
    'one page under another name',
    () => zipped({ 'start.htm': HTML }),
    { 'start.htm': HTML },
    'start.htm',
  ),
  valid(
    'one page, in a folder',
    () => zipped({ 'docs/start.html': HTML, 'css/site.css': CSS }),
    { 'css/site.css': CSS, 'docs/start.html': HTML },
    'docs/start.html',
  ),
  valid('1,000 files', () => zipped({ ...thousand, 'index.html': HTML }), {
    ...thousand,
    'index.html': HTML,
  }),
  valid(
    '1,000 files, each with a companion that is skipped',
    () => zipped({ ...thousand, ...inFolder('__MACOSX', thousand), 'index.html': HTML }),
    { ...thousand, 'index.html': HTML },
  ),
  valid(
    'a file of exactly 5 MB',
    () => zipped({ 'index.html': HTML, 'a.bin': new Uint8Array(5 * 1_048_576) }),
    {
      'a.bin': new Uint8Array(5 * 1_048_576),
      'index.html': HTML,
    },
  ),
];
