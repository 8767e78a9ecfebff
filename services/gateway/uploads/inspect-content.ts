import { type FileTypeResult, fileTypeFromBuffer } from 'file-type';
import { errors } from '../../../shared/errors.ts';
import type { FileFamily } from '../../../shared/items/content.ts';
import { hasStructureOf, isAvifCompatible, isTaggedMp3 } from './file-structure.ts';

/** Types of an octet-stream body that are files, not pages (specification 4.3). */
const FILE_EXTENSIONS = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['video/mp4', 'mp4'],
  ['application/pdf', 'pdf'],
  ['application/zip', 'zip'],
]);

/**
 * The text of a body that claims to be text.
 * @throws CONTENT_REJECTED when it is not UTF-8 or has a NUL (specification 4.1); VALIDATION_FAILED when it is empty.
 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return assertText(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) throw notText('is not valid UTF-8');
    throw error;
  }
}

/** Checks text by the rules of `decodeText`, for text from a JSON body. @throws CONTENT_REJECTED, VALIDATION_FAILED */
export function assertText(text: string): string {
  if (text.trim() === '')
    throw errors.validationFailed([{ field: 'content', message: 'is empty; send the page itself.' }]);
  if (text.includes('\0')) throw notText('contains a NUL character');
  if (!text.isWellFormed()) throw notText('contains half of a surrogate pair');
  return text;
}

const notText = (why: string) =>
  errors.contentRejected(
    `The content ${why}, so it is not text. Pages are UTF-8 text; upload other content as a file.`,
  );

/** The extension of a body that is a file and not a page: an image, video, PDF or archive; `null` for all else. */
export async function fileExtension(bytes: Uint8Array): Promise<string | null> {
  const sniffed = await sniff(bytes, '');
  return sniffed !== null && 'type' in sniffed
    ? (FILE_EXTENSIONS.get(sniffed.type.contentType) ?? null)
    : null;
}

/** Whether text is HTML by its beginning, where its type does not say so (specification 4.2). */
export const looksLikeHtml = (text: string): boolean => /^<[a-z!]/i.test(text.trimStart());

/** A binary type that is served. */
interface BinaryType {
  contentType: string;
  family: FileFamily;
}

/** The type detected in bytes: one that is served, another one by a name for people, or `null` when it is unknown. */
type Sniffed = { type: BinaryType } | { other: string } | null;

const type = (family: FileFamily, contentType: string): BinaryType => ({ family, contentType });

const MP4_AUDIO = type('audio', 'audio/mp4');
const OGG_AUDIO = type('audio', 'audio/ogg');
const OGG_VIDEO = type('video', 'video/ogg');
const MP3 = type('audio', 'audio/mpeg');
const AVIF = type('image', 'image/avif');

/**
 * The admitted types by the extension file-type gives them, which is finer than its media type: `cur` and `mp1` share
 * theirs with `ico` and `mp3`. An animated PNG is a PNG.
 */
const SERVED = new Map<string, BinaryType>([
  ['png', type('image', 'image/png')],
  ['apng', type('image', 'image/png')],
  ['jpg', type('image', 'image/jpeg')],
  ['gif', type('image', 'image/gif')],
  ['webp', type('image', 'image/webp')],
  ['avif', AVIF],
  ['bmp', type('image', 'image/bmp')],
  ['ico', type('image', 'image/x-icon')],
  ['mp3', MP3],
  ['wav', type('audio', 'audio/wav')],
  ['ogg', OGG_AUDIO],
  ['oga', OGG_AUDIO],
  ['spx', OGG_AUDIO],
  ['opus', OGG_AUDIO],
  ['flac', type('audio', 'audio/flac')],
  ['m4a', MP4_AUDIO],
  ['m4b', MP4_AUDIO],
  ['aac', type('audio', 'audio/aac')],
  ['mp4', type('video', 'video/mp4')],
  ['m4v', type('video', 'video/mp4')],
  ['mov', type('video', 'video/quicktime')],
  ['webm', type('video', 'video/webm')],
  ['ogv', OGG_VIDEO],
  ['ogm', OGG_VIDEO],
  ['pdf', type('pdf', 'application/pdf')],
  ['zip', type('archive', 'application/zip')],
  ['woff', type('font', 'font/woff')],
  ['woff2', type('font', 'font/woff2')],
  ['ttf', type('font', 'font/ttf')],
  ['otf', type('font', 'font/otf')],
]);

/** Signatures that file-type does not know, mistakes (UTF-16 for MPEG audio), or would unpack to learn more. */
const OWN_SIGNATURES: ReadonlyArray<[signature: string, name: string]> = [
  ['7f454c46', 'an executable program (ELF)'],
  ['4d5a', 'an executable program (Windows)'],
  ['feedface', 'an executable program (Mach-O)'],
  ['feedfacf', 'an executable program (Mach-O)'],
  ['cefaedfe', 'an executable program (Mach-O)'],
  ['cffaedfe', 'an executable program (Mach-O)'],
  ['cafebabe', 'an executable program (Mach-O or a Java class)'],
  ['cafebabf', 'an executable program (Mach-O)'],
  ['bebafeca', 'an executable program (Mach-O)'],
  ['bfbafeca', 'an executable program (Mach-O)'],
  ['6465780a', 'an executable program (Android)'],
  ['0061736d', 'an executable program (WebAssembly)'],
  ['2321', 'a script with an interpreter line (#!)'],
  ['efbbbf2321', 'a script with an interpreter line (#!)'],
  ['1f8b', 'a gzip archive'],
  ['fffe', 'UTF-16 text (save it as UTF-8)'],
  ['feff', 'UTF-16 text (save it as UTF-8)'],
];

/**
 * Detects a binary file's type from its content. Where a container can hold audio or video, the extension (lower case,
 * without a dot) decides.
 */
export async function sniff(bytes: Uint8Array, extension: string): Promise<Sniffed> {
  const head = Buffer.from(bytes.subarray(0, 8)).toString('hex');
  const own = OWN_SIGNATURES.find(([signature]) => head.startsWith(signature));
  if (own !== undefined) return { other: own[1] };
  const found = await detect(bytes);
  if (found === null) {
    const signed = typeBySignature(bytes, head, extension);
    return signed === null ? null : { type: signed };
  }
  const served = servedType(found, bytes, extension);
  if (served === undefined) return { other: `${found.ext} (${found.mime})` };
  return hasStructureOf(served.contentType, bytes) ? { type: served } : null;
}

const PNG_SIGNATURE = '89504e470d0a1a0a';

/** Signatures that are enough under their own extension before nothing but zeros: other types begin with them, too. */
const SIGNATURES: ReadonlyMap<string, string> = new Map([
  ['mp3', '494433'],
  ['webm', '1a45dfa3'],
]);

/** Length of the header of an ID3 tag; that of WebM is shorter. */
const TAG_HEADER_BYTES = 10;

/** The type of content in which file-type finds nothing known behind the signature. */
function typeBySignature(bytes: Uint8Array, head: string, extension: string): BinaryType | null {
  if (head === PNG_SIGNATURE) return SERVED.get('png') ?? null;
  if (isTaggedMp3(bytes)) return MP3;
  const signature = SIGNATURES.get(extension);
  if (signature === undefined || !head.startsWith(signature)) return null;
  return bytes.subarray(TAG_HEADER_BYTES).every((byte) => byte === 0)
    ? (SERVED.get(extension) ?? null)
    : null;
}

/** Detects the type from the whole file, because entries anywhere in an archive tell what kind it is. */
async function detect(bytes: Uint8Array): Promise<FileTypeResult | null> {
  try {
    return (await fileTypeFromBuffer(bytes)) ?? null;
  } catch {
    // file-type's parsers can throw on malformed content, whose type then counts as unknown.
    return null;
  }
}

function servedType({ ext }: FileTypeResult, bytes: Uint8Array, extension: string): BinaryType | undefined {
  if (ext === 'ogx') return extension === 'ogv' ? OGG_VIDEO : OGG_AUDIO;
  if (ext === 'mp4' && (extension === 'm4a' || extension === 'aac')) return MP4_AUDIO;
  if (ext === 'heic' && isAvifCompatible(bytes)) return AVIF;
  return SERVED.get(ext);
}
