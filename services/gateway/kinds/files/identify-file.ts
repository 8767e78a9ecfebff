import { isUtf8 } from 'node:buffer';
import { errors } from '../../../../shared/errors.ts';
import type { FileFamily } from '../../../../shared/items/content.ts';
import type { PerchError } from '../../../../shared/perch-error.ts';
import { sniff } from '../../uploads/inspect-content.ts';
import { type ExtensionRule, extensionOf, familyLimit, ruleFor } from './file-types.ts';

/** A file that may come in, and what it is served as. */
export interface IdentifiedFile {
  contentType: string;
  family: FileFamily;
  /** The highlighter's name of a text's language, or `null` for plain text. */
  language: string | null;
}

/**
 * Most bytes to read of a file with that name. Its type, once known, may allow less.
 * @throws UNSUPPORTED_MEDIA_TYPE for an extension that is not admitted
 */
export const fileLimitFor = (filename: string): number => familyLimit(ruleFor(filename).family);

/**
 * Decides by extension and content whether a file may come in and what it is (specification 7.2).
 * @throws UNSUPPORTED_MEDIA_TYPE for its extension, CONTENT_REJECTED for its content, TOO_LARGE for its size
 */
export async function identifyFile(filename: string, bytes: Uint8Array): Promise<IdentifiedFile> {
  const rule = ruleFor(filename);
  const file = await identifyByContent(filename, rule, bytes);
  const limit = familyLimit(file.family);
  if (bytes.length > limit) throw errors.tooLarge(`This file (${file.contentType})`, limit);
  return file;
}

async function identifyByContent(
  filename: string,
  rule: ExtensionRule,
  bytes: Uint8Array,
): Promise<IdentifiedFile> {
  const { textType, language } = rule;
  if (textType !== null && isText(bytes)) {
    const binary = SPELT_OUT.test(headOf(bytes)) ? await identifyBinary(filename, bytes) : null;
    return binary ?? { contentType: textType, family: 'text', language };
  }
  if (extensionOf(filename) === 'svg' && isText(bytes)) {
    if (!hasSvgRoot(new TextDecoder().decode(bytes))) throw rejected(filename, 'is text, but no SVG image');
    return { contentType: 'image/svg+xml', family: 'image', language: null };
  }
  const binary = await identifyBinary(filename, bytes);
  if (binary !== null) return binary;
  throw rejected(filename, whyUnknown(bytes));
}

/**
 * Detects a binary file; `null` when the type is unknown. @throws CONTENT_REJECTED for a known type that is not
 * admitted
 */
async function identifyBinary(filename: string, bytes: Uint8Array): Promise<IdentifiedFile | null> {
  const sniffed = await sniff(bytes, extensionOf(filename));
  if (sniffed === null) return null;
  if ('other' in sniffed) throw rejected(filename, `is ${sniffed.other}, which is not accepted`);
  return { ...sniffed.type, language: null };
}

/** Whether bytes are text: valid UTF-8 without a NUL. Nearly all binary content fails one of the two. */
const isText = (bytes: Uint8Array): boolean => !bytes.includes(0) && isUtf8(bytes);

/**
 * Signatures of the formats that can be text throughout. Any other signature in text is a coincidence:
 * "BMW" is no bitmap, "MZ" no program, and "solid ground" no 3D model.
 */
const SPELT_OUT = /^(?:\uFEFF)?(?:GIF8[79]a|%PDF-\d|%!PS|\{\\rtf\d)/;

const headOf = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, 16));

function whyUnknown(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'is empty';
  if (isText(bytes)) return 'is text, although its extension says otherwise';
  return 'is neither UTF-8 text nor of a type that is accepted';
}

const rejected = (filename: string, why: string): PerchError =>
  errors.contentRejected(`The content of "${filename}" ${why}.`);

const PROLOG_CHARACTERS = 65_536;
const WHITE_SPACE = /\s+/y;
const ROOT = /<(?:[A-Za-z_][\w.-]{0,100}:)?svg[\s/>]/y;
const DOCTYPE_HEAD = /<!DOCTYPE(?:"[^"]*"|'[^']*'|[^"'[>])*[[>]/y;
const SUBSET_END = /\]\s*>/g;

/**
 * Whether a text is an XML document whose root element is `svg`: behind white space, instructions, comments and a
 * document type (XML 1.0, section 2.8). Only so far as a prolog can sensibly be long.
 */
function hasSvgRoot(whole: string): boolean {
  const text = whole.slice(0, PROLOG_CHARACTERS);
  let at = 0;
  for (;;) {
    const end = prologPartEnd(text, at);
    if (end === null) return endOf(ROOT, text, at) !== null;
    at = end;
  }
}

/** Where the part of the prolog ends that begins there, or `null` when there is none. */
function prologPartEnd(text: string, at: number): number | null {
  if (text.startsWith('<!--', at)) return behind(text, '-->', at + 4);
  if (text.startsWith('<?', at)) return behind(text, '?>', at + 2);
  if (!text.startsWith('<!', at)) return endOf(WHITE_SPACE, text, at);
  const head = endOf(DOCTYPE_HEAD, text, at);
  return head !== null && text[head - 1] === '[' ? endOf(SUBSET_END, text, head) : head;
}

function endOf(pattern: RegExp, text: string, from: number): number | null {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : null;
}

function behind(text: string, mark: string, from: number): number | null {
  const found = text.indexOf(mark, from);
  return found < 0 ? null : found + mark.length;
}
