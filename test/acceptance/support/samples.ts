import { gzipSync } from 'node:zlib';
import { box, brands, bytes, pdf, png, zeros } from '../../hostile/bytes.ts';

const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

const base64 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const ZIP =
  'UEsDBBQAAAAAAAAAIQCGphA2BQAAAAUAAAAKAAAAcmVhZG1lLnR4dGhlbGxvUEsBAhQDFAAAAAAAAAAhAIamEDYFAAAABQAAAAoAAAAAAAAAAAAAAIABAAAAAHJlYWRtZS50eHRQSwUGAAAAAAEAAQA4AAAALQAAAAAA';

/** Small binaries of the types that go to the file store (specification 4.3). */
export const FILES: Record<string, Uint8Array> = {
  png: base64(PNG),
  jpg: fromHex('ffd8ffe0 0010 4a464946 00 0101 00 0001 0001 00 00 ffd9'),
  gif: fromHex('474946383961 0100 0100 80 00 00 ffffff 000000 2c 00000000 0100 0100 00 02 02 44 01 00 3b'),
  webp: fromHex('52494646 1a000000 57454250 5650384c 0d000000 2f 00 00 00 00 07 10 11 11 88 88 fe 07 00'),
  mp4: fromHex('00000018 66747970 69736f6d 00000200 69736f6d 6d703432 00000008 6d646174'),
  pdf: ascii('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'),
  zip: base64(ZIP),
};

/** Binaries of other types. */
export const OTHER_BINARIES: Record<string, Uint8Array> = {
  gzip: Uint8Array.from(gzipSync('hello, hello, hello')),
  ELF: fromHex('7f454c46 02010100 00000000 00000000 0200 3e00 01000000'),
  'no known type': fromHex('01 02 fe ff 80 81 00 00 c0 c1'),
};

/** Bytes that are not text as Perch wants it. */
export const NOT_TEXT: Record<string, Uint8Array> = {
  'a lone continuation byte': fromHex('3c703e 80 3c2f703e'),
  'an overlong slash': fromHex('3c703e c0af 3c2f703e'),
  'a surrogate in UTF-8': fromHex('3c703e eda080 3c2f703e'),
  'a cut-off character': fromHex('3c703e e282'),
  'Latin-1': fromHex('3c703e e4f6fc 3c2f703e'),
  'UTF-16': fromHex('fffe 3c00 7000 3e00'),
  'a NUL': fromHex('3c703e 00 3c2f703e'),
};

/** 5 MB (specification 4.1). */
export const PAGE_LIMIT = 5 * 1_048_576;

/** An HTML page of exactly so many bytes, different for each `seed`. */
export function pageOf(size: number, seed = ''): string {
  const start = `<p>${seed} `;
  return start + 'x'.repeat(size - start.length);
}

const MB = 1_048_576;

/** Specification 7.2. */
export const FILE_LIMIT = 5 * MB;
export const VIDEO_LIMIT = 20 * MB;

/** A film without pictures. */
export const film = bytes(brands('isom', 'mp42'), box('mdat', zeros(32)));

const mp3Frame = bytes([0xff, 0xfb, 0x90, 0], zeros(413));

/** A file of exactly so many bytes, by family: its beginning and padding. */
export const OF_SIZE = {
  text: (size: number) => ({ filename: 'a.txt', content: new Uint8Array(size).fill(0x61) }),
  image: (size: number) => ({ filename: 'a.png', content: padded(png(), size) }),
  pdf: (size: number) => ({ filename: 'a.pdf', content: padded(pdf(), size) }),
  audio: (size: number) => ({ filename: 'a.mp3', content: padded(mp3Frame, size) }),
  video: (size: number) => ({ filename: 'a.mp4', content: padded(film, size) }),
};

function padded(content: Uint8Array, size: number): Uint8Array {
  const all = new Uint8Array(size);
  all.set(content);
  return all;
}
