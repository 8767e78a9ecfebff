import { bodyIssue } from './body-reader.ts';
import { strictUtf8 } from './text.ts';

/** Whether a browser shows a response where it can (`inline`) or saves it as a file (`attachment`). */
type Disposition = 'inline' | 'attachment';

/**
 * A Content-Disposition with the name to save the content under: an ASCII form for old clients and the exact one
 * (RFC 6266, RFC 8187). Any text gives a valid header.
 */
export function contentDisposition(disposition: Disposition, filename: string): string {
  const name = filename.toWellFormed().replace(CONTROL, '_');
  const ascii = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** The Content-Disposition of a form's part: its field name and file name (RFC 7578 section 4.2). */
interface PartDisposition {
  name: string;
  /** Filename with its folders; `null` when the part gives none. */
  filename: string | null;
}

/**
 * @param header its bytes, one a character
 * @throws VALIDATION_FAILED
 */
export function parseDisposition(header: string): PartDisposition {
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
    return strictUtf8.decode(bytes);
  } catch {
    throw bodyIssue('has a part whose name or file name is not UTF-8.');
  }
}

/** A header value such as `form-data; name="file"`: its first word in lower case, and what follows by name. */
interface HeaderParameters {
  value: string;
  /** Parameters as sent between the quotes, escapes resolved; names are in lower case. */
  parameters: Map<string, string>;
}

/** RFC 9110 section 5.6.6, with spaces in bare values forgiven: clients send file names like that. */
const PARAMETER = /;[\t ]*([^\s=;"]+)[\t ]*=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([^";]*))[\t ]*/y;

/** Parses a header value; `null` when it does not follow the grammar, or gives a parameter twice. */
export function parseHeaderParameters(header: string): HeaderParameters | null {
  const end = header.indexOf(';');
  const value = header
    .slice(0, end < 0 ? undefined : end)
    .trim()
    .toLowerCase();
  const rest = end < 0 ? '' : header.slice(end, behindLast(header));
  const parameters = new Map<string, string>();
  for (let position = 0; position < rest.length; ) {
    PARAMETER.lastIndex = position;
    const found = PARAMETER.exec(rest);
    const [whole = '', name = '', quoted, bare = ''] = found ?? [];
    const key = name.toLowerCase();
    if (found === null || parameters.has(key)) return null;
    // A backslash that escapes nothing is literal: browsers do not escape backslashes of file names.
    parameters.set(key, quoted === undefined ? bare.trim() : quoted.replace(/\\(["\\])/g, '$1'));
    position += whole.length;
  }
  return { value, parameters };
}

/**
 * Index behind the last character that is neither space nor semicolon. A regular expression would take quadratic time.
 */
function behindLast(header: string): number {
  let stop = header.length;
  while (stop > 0 && ' \t;'.includes(header.charAt(stop - 1))) stop -= 1;
  return stop;
}
