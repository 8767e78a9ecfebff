import { errors } from '../../../shared/errors.ts';
import { sniff } from './sniff.ts';

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
