import { bodyIssue } from './body-reader.ts';
import { parseHeaderParameters } from './header-parameters.ts';

/** The Content-Disposition of a form's part: its field name and file name (RFC 7578 section 4.2). */
export interface Disposition {
  name: string;
  /** With its folders; `null` when the part gives none. */
  filename: string | null;
}

/** @param header its bytes, one a character @throws VALIDATION_FAILED */
export function parseDisposition(header: string): Disposition {
  const { value, parameters } = parseHeaderParameters(header) ?? {};
  const name = parameters?.get('name');
  if (value !== 'form-data' || name === undefined)
    throw bodyIssue('has a part whose Content-Disposition is not form-data with a name.');
  const extended = parameters?.get('filename*');
  const plain = parameters?.get('filename');
  // RFC 6266 section 4.3: the extended form wins.
  if (extended !== undefined) return { name: decodeName(name), filename: decodeExtended(extended) };
  return { name: decodeName(name), filename: plain === undefined ? null : decodeName(plain) };
}

/** Browsers and curl escape exactly these (HTML standard, "multipart/form-data encoding algorithm"). */
const ESCAPED: Record<string, string> = { '%22': '"', '%0D': '\r', '%0A': '\n' };

const decodeName = (bytes: string): string =>
  decodeUtf8(Buffer.from(bytes, 'latin1')).replace(
    /%22|%0[DA]/gi,
    (found) => ESCAPED[found.toUpperCase()] ?? found,
  );

/** RFC 8187: `UTF-8'en'na%C3%AFve.txt`. */
const EXTENDED = /^(utf-8|iso-8859-1)'[^']*'((?:%[0-9a-f]{2}|[\x21-\x24\x26-\x7e])*)$/i;

function decodeExtended(value: string): string {
  const [, charset, encoded = ''] = EXTENDED.exec(value) ?? [];
  if (charset === undefined) throw bodyIssue('has a part whose filename* is not UTF-8 as RFC 8187 says.');
  const bytes = encoded.replace(/%(..)/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return charset.toLowerCase() === 'utf-8' ? decodeUtf8(Buffer.from(bytes, 'latin1')) : bytes;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw bodyIssue('has a part whose name or file name is not UTF-8.');
  }
}
