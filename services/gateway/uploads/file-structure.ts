/**
 * Checks more than the few bytes by which file-type detects a type, where other content can begin with them, too: `BM`
 * alone is a bitmap to it, and two bytes are an MP3. Content that fails the check does not have the detected type.
 */
type Check = (bytes: Uint8Array) => boolean;

const CHECKS = new Map<string, Check>([
  ['image/gif', (bytes) => bytes.length >= 13 && /^GIF8[79]a/.test(ascii(bytes, 0, 6))],
  ['image/jpeg', (bytes) => (bytes[3] ?? 0) >= 0xc0],
  ['image/webp', (bytes) => /^VP8[ LX]$/.test(ascii(bytes, 12, 4))],
  ['image/bmp', isBitmap],
  ['image/x-icon', isIcon],
  ['image/avif', startsWithBox],
  ['video/mp4', startsWithBox],
  ['audio/mp4', startsWithBox],
  ['video/quicktime', startsWithBox],
  ['audio/mpeg', (bytes) => isMp3Frame(bytes, audioStart(bytes))],
  ['audio/aac', (bytes) => isAdtsFrame(bytes, audioStart(bytes))],
  ['audio/flac', (bytes) => isFlac(bytes, audioStart(bytes))],
  ['application/pdf', (bytes) => /^%PDF-\d/.test(ascii(bytes, 0, 6))],
  ['font/woff', declaresItsLength],
  ['font/woff2', declaresItsLength],
  ['font/ttf', hasFontTables],
  ['font/otf', hasFontTables],
]);

/** Whether the bytes have the structure of the type that their beginning claims. */
export const hasStructureOf = (contentType: string, bytes: Uint8Array): boolean =>
  CHECKS.get(contentType)?.(bytes) ?? true;

/** Whether an ISO media file of a general image brand says that it is AVIF as well. */
export function isAvifCompatible(bytes: Uint8Array): boolean {
  if (ascii(bytes, 4, 4) !== 'ftyp') return false;
  const brands = ascii(bytes, 16, Math.min(uint32(bytes, 0), 256) - 16);
  return (brands.match(/.{4}/gs) ?? []).some((brand) => brand === 'avif' || brand === 'avis');
}

/** Whether an MP3's frames follow its ID3 tag behind padding, which file-type does not look past. */
export const isTaggedMp3 = (bytes: Uint8Array): boolean =>
  ascii(bytes, 0, 3) === 'ID3' && isMp3Frame(bytes, audioStart(bytes));

function isBitmap(bytes: Uint8Array): boolean {
  const headerSizes = [12, 40, 52, 56, 64, 108, 124];
  return bytes.length >= 26 && headerSizes.includes(uint32LittleEndian(bytes, 14));
}

/** Every image of the directory lies within the file. */
function isIcon(bytes: Uint8Array): boolean {
  const count = (bytes[4] ?? 0) + (bytes[5] ?? 0) * 256;
  const directoryEnd = 6 + count * 16;
  if (count === 0 || directoryEnd > bytes.length) return false;
  for (let entry = 6; entry < directoryEnd; entry += 16) {
    const size = uint32LittleEndian(bytes, entry + 8);
    const offset = uint32LittleEndian(bytes, entry + 12);
    if (offset < directoryEnd || offset + size > bytes.length) return false;
  }
  return true;
}

/** ISO/IEC 14496-12, section 4.2: a box begins with its size; 1 stands for a size of 64 bits behind the type. */
function startsWithBox(bytes: Uint8Array): boolean {
  const size = uint32(bytes, 0);
  return size === 1 || (size >= 8 && size <= bytes.length);
}

/** WOFF and WOFF2 name the size of the whole file, so that nothing can be added to it. */
function declaresItsLength(bytes: Uint8Array): boolean {
  return uint32(bytes, 8) === bytes.length;
}

function hasFontTables(bytes: Uint8Array): boolean {
  const tables = (bytes[4] ?? 0) * 256 + (bytes[5] ?? 0);
  return tables > 0 && 12 + tables * 16 <= bytes.length;
}

/** Behind an ID3v2 tag, which names its size in 4 × 7 bits, and the zeros some programs leave after it. */
function audioStart(bytes: Uint8Array): number {
  if (ascii(bytes, 0, 3) !== 'ID3') return 0;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, 10);
  let start = 10 + ((a & 127) << 21) + ((b & 127) << 14) + ((c & 127) << 7) + (d & 127);
  while (bytes[start] === 0) start += 1;
  return start;
}

/** A frame header of MPEG audio, layer III, without reserved values. */
function isMp3Frame(bytes: Uint8Array, at: number): boolean {
  const [sync = 0, kind = 0, rates = 0] = bytes.subarray(at, at + 3);
  const isLayer3 = sync === 0xff && (kind & 0xe6) === 0xe2 && (kind & 0x18) !== 0x08;
  return isLayer3 && rates >> 4 !== 15 && rates >> 4 !== 0 && (rates & 0x0c) !== 0x0c;
}

/** An ADTS header of AAC: sync word, layer 0, a sampling rate that exists and a frame that fits. */
function isAdtsFrame(bytes: Uint8Array, at: number): boolean {
  const [sync = 0, kind = 0, rates = 0, high = 0, middle = 0, low = 0] = bytes.subarray(at, at + 6);
  const frame = ((high & 3) << 11) | (middle << 3) | (low >> 5);
  return (
    sync === 0xff &&
    (kind & 0xf6) === 0xf0 &&
    ((rates >> 2) & 15) < 13 &&
    frame >= 7 &&
    at + frame <= bytes.length
  );
}

/** The first block of a FLAC stream is its 34 bytes of STREAMINFO. */
function isFlac(bytes: Uint8Array, at: number): boolean {
  return (
    ascii(bytes, at, 4) === 'fLaC' &&
    ((bytes[at + 4] ?? 255) & 127) === 0 &&
    (uint32(bytes, at + 4) & 0xffffff) === 34
  );
}

const ascii = (bytes: Uint8Array, start: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(start, start + Math.max(length, 0)));

function uint32(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4);
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

function uint32LittleEndian(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4);
  return ((d << 24) | (c << 16) | (b << 8) | a) >>> 0;
}
