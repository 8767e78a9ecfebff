import { crc32 } from 'node:zlib';
import { entryIssue } from './archive-issue.ts';
import { findExtra } from './extra-fields.ts';

/** Header id of the Info-ZIP Unicode Path: version, CRC of the header's name, the name in UTF-8 (APPNOTE 4.6.9). */
const UNICODE_PATH = { id: 0x7075, version: 1, length: 5 };

/**
 * The name of an entry. Names without the UTF-8 flag are read as UTF-8, too: many tools write UTF-8 without setting the
 * flag. Tools that write another encoding may add the name in UTF-8 as an extra field (Unicode Path), which comes first.
 * @throws VALIDATION_FAILED when the name is not UTF-8
 */
export function readEntryName(header: Buffer, extra: Buffer): string {
  const bytes = unicodePathOf(header, extra) ?? header;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw entryIssue(
      bytes.toString('utf8'),
      'has a name that is not UTF-8; zip it with UTF-8 names, or send the files one by one.',
    );
  }
}

/**
 * The entry's Unicode Path. Ignored when its CRC does not match the header's name: then a tool renamed the entry in the
 * header only.
 */
function unicodePathOf(header: Buffer, extra: Buffer): Buffer | null {
  const field = findExtra(extra, UNICODE_PATH.id);
  if (field === null || field.length <= UNICODE_PATH.length) return null;
  if (field[0] !== UNICODE_PATH.version || field.readUInt32LE(1) !== crc32(header)) return null;
  return field.subarray(UNICODE_PATH.length);
}
