import { crc32, deflateSync } from 'node:zlib';

type Part = string | number[] | Uint8Array;

/** Bytes of texts (as UTF-8), of numbers and of other bytes, one behind the other. */
export function bytes(...parts: Part[]): Uint8Array {
  return new Uint8Array(
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Uint8Array.from(part))),
    ),
  );
}

export const zeros = (count: number): Uint8Array => new Uint8Array(count);

/** In the byte order of Windows, with its mark. */
export const utf16 = (text: string): Uint8Array => bytes([0xff, 0xfe], Buffer.from(text, 'utf16le'));

export function uint32(value: number): Uint8Array {
  return bytes([value >>> 24, value >>> 16, value >>> 8, value]);
}

/** In little-endian order, as Windows, ELF and ZIP have it. */
export const uint32LittleEndian = (value: number): Uint8Array => uint32(value).reverse();

/** Data that an image carries besides its picture. */
interface Hidden {
  comment?: string;
  /** Behind the image's end. */
  tail?: Part;
}

const pngChunk = (type: string, data: Uint8Array): Uint8Array =>
  bytes(uint32(data.length), type, data, uint32(crc32(bytes(type, data))));

/** A PNG of one pixel. */
export function png({ comment = 'none', tail = '' }: Hidden = {}): Uint8Array {
  return bytes(
    ...[[0x89], 'PNG\r\n', [0x1a], '\n'],
    pngChunk('IHDR', bytes(uint32(1), uint32(1), [8, 0, 0, 0, 0])),
    pngChunk('tEXt', bytes('Comment\0', comment)),
    pngChunk('IDAT', new Uint8Array(deflateSync(new Uint8Array([0, 128])))),
    pngChunk('IEND', zeros(0)),
    tail,
  );
}

/** A GIF of one pixel. */
export function gif({ comment = 'none', tail = '' }: Hidden = {}): Uint8Array {
  return bytes(
    ...['GIF89a', [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]],
    ...[[0x21, 0xfe, Buffer.byteLength(comment)], comment, [0]],
    [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b],
    tail,
  );
}

const JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AJ//Z',
  'base64',
);

/** A JPEG of one pixel. */
export function jpeg({ comment = 'none', tail = '' }: Hidden = {}): Uint8Array {
  const length = Buffer.byteLength(comment) + 2;
  return bytes(JPEG.subarray(0, 2), [0xff, 0xfe, length >> 8, length & 255], comment, JPEG.subarray(2), tail);
}

/** A bitmap of one pixel, with something behind its end. */
export const bitmap = (tail = ''): Uint8Array =>
  bytes(
    ...['BM', uint32LittleEndian(58), zeros(4), uint32LittleEndian(54), uint32LittleEndian(40)],
    ...[uint32LittleEndian(1), uint32LittleEndian(1), [1, 0, 24, 0], zeros(24), [0, 0, 255, 0], tail],
  );

/** An icon that holds one PNG, with something behind its end. */
export function icon(tail = ''): Uint8Array {
  const image = png();
  const entry = bytes([1, 1, 0, 0, 1, 0, 32, 0], uint32LittleEndian(image.length), uint32LittleEndian(22));
  return bytes([0, 0, 1, 0, 1, 0], entry, image, tail);
}

/** A chunk of a RIFF file, padded to an even length. */
export const riffChunk = (type: string, data: Uint8Array): Uint8Array =>
  bytes(type, uint32LittleEndian(data.length), data, zeros(data.length % 2));

export const riff = (type: string, ...chunks: Uint8Array[]): Uint8Array =>
  riffChunk('RIFF', bytes(type, ...chunks));

/** A box of an ISO media file (MP4, MOV, AVIF). */
export const box = (type: string, ...contents: Part[]): Uint8Array => {
  const content = bytes(...contents);
  return bytes(uint32(content.length + 8), type, content);
};

/** The first box of an ISO media file. */
export const brands = (major: string, ...compatible: string[]): Uint8Array =>
  box('ftyp', major, zeros(4), ...compatible);

/** A PDF of one empty page, with objects of its own besides and something behind its end. */
export const pdf = ({ openAction = '', tail = '' } = {}): Uint8Array =>
  bytes(`%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R${openAction}>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF
${tail}`);
