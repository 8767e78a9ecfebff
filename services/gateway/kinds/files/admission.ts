import { isUtf8 } from 'node:buffer';
import { errors, type PerchError } from '../../../../shared/errors.ts';
import type { FileFamily } from '../../../../shared/items/content.ts';
import { sniff } from '../../uploads/inspect-content.ts';
import { type ExtensionRule, extensionOf, familyLimit, ruleFor } from './file-types.ts';
import { hasSvgRoot } from './svg-root.ts';

/** A file that may come in, and what it is served as. */
export interface AdmittedFile {
  filename: string;
  contentType: string;
  family: FileFamily;
  /** Of text: the highlighter's name of its language, or `null` for plain text. */
  language: string | null;
  /** Whether people see it as a rendered text. An SVG is an image. */
  text: boolean;
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
export async function admitFile(filename: string, bytes: Uint8Array): Promise<AdmittedFile> {
  const rule = ruleFor(filename);
  const file = await identify(filename, rule, bytes);
  const limit = familyLimit(file.family);
  if (bytes.length > limit) throw errors.tooLarge(`This file (${file.contentType})`, limit);
  return file;
}

async function identify(filename: string, rule: ExtensionRule, bytes: Uint8Array): Promise<AdmittedFile> {
  const { textType, language } = rule;
  if (textType !== null && isText(bytes)) {
    const binary = SPELT_OUT.test(headOf(bytes)) ? await identifyBinary(filename, bytes) : null;
    return binary ?? { filename, contentType: textType, family: 'text', language, text: true };
  }
  if (extensionOf(filename) === 'svg' && isText(bytes)) {
    if (!hasSvgRoot(new TextDecoder().decode(bytes))) throw rejected(filename, 'is text, but no SVG image');
    return { filename, contentType: 'image/svg+xml', family: 'image', language: null, text: false };
  }
  const binary = await identifyBinary(filename, bytes);
  if (binary !== null) return binary;
  throw rejected(filename, whyUnknown(bytes));
}

/**
 * Detects a binary file; `null` when the type is unknown. @throws CONTENT_REJECTED for a known type that is not
 * admitted
 */
async function identifyBinary(filename: string, bytes: Uint8Array): Promise<AdmittedFile | null> {
  const sniffed = await sniff(bytes, extensionOf(filename));
  if (sniffed === null) return null;
  if ('other' in sniffed) throw rejected(filename, `is ${sniffed.other}, which is not accepted`);
  return { filename, ...sniffed.type, language: null, text: false };
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
