import { errors } from '../../../shared/errors.ts';
import { LIMITS } from '../../../shared/items/item.ts';
import { messageOf } from '../../../shared/message-of.ts';
import { jsonFaultOf } from '../../../shared/wording/json-fault.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * @param decoder a fatal one
 * @throws JSON_INVALID
 */
export function decodeJson(bytes: Uint8Array, decoder = utf8): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw errors.jsonInvalid('it is not UTF-8');
  }
}

/** @throws JSON_INVALID */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw errors.jsonInvalid(faultInWords(text) ?? messageOf(error));
  }
}

function faultInWords(text: string): string | null {
  const fault = jsonFaultOf(text);
  if (fault === null) return null;
  const { line, column, isEnd } = fault;
  return `${isEnd ? 'it ends too early, at' : 'see'} line ${line}, column ${column}`;
}

/** @throws JSON_INVALID, also for a value that is not an object */
export function parseJsonObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw errors.jsonNotAnObject();
}

/** Guards parsers against nesting too deep for them (specification 6.1). @throws JSON_INVALID */
export const assertJsonDepth = (text: string): void => void jsonStructure(text);

/**
 * Counts the characters of a text outside of its strings, without white space, in valid JSON or not.
 * @param max levels of nesting: those of documents unless said otherwise
 * @throws JSON_INVALID above so many levels
 */
export function jsonStructure(text: string, max: number = LIMITS.jsonDepth): number {
  let depth = 0;
  let outside = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > SPACE) outside += 1;
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      depth += 1;
      if (depth > max) throw errors.jsonTooDeep(max);
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1;
  }
  return outside;
}

/** Calls back for each number of a JSON text, with its place. */
export function forEachNumber(
  text: string,
  look: (number: string, start: number, end: number) => void,
): void {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === MINUS || isDigit(code)) {
      const start = at;
      while (isNumberPart(text.charCodeAt(at + 1))) at += 1;
      look(text.slice(start, at + 1), start, at + 1);
    }
  }
}

/**
 * A number of a JSON text that a double does not hold, such as one of twenty digits or `1e400`; `null` when there is none.
 * How a number is written does not matter: `1.50` is the double 1.5.
 */
export function inexactNumber(text: string): string | null {
  let found: string | null = null;
  forEachNumber(text, (number) => {
    if (found !== null || (number.length < 16 && !/e/i.test(number))) return;
    const held = String(Number(number));
    if (held !== number && decimalOf(number) !== decimalOf(held)) found = number;
  });
  return found;
}

/** A decimal number as digits without zeros at either end, and an exponent: equal numbers are equal texts. */
function decimalOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const kept = digits.slice(0, end);
  if (kept === '') return /^\d/.test(whole) ? '0' : number;
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

const [PLUS, MINUS, POINT] = [0x2b, 0x2d, 0x2e];
const [UPPER_E, LOWER_E] = [0x45, 0x65];

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const isNumberPart = (code: number): boolean =>
  isDigit(code) || code === POINT || code === MINUS || code === PLUS || code === LOWER_E || code === UPPER_E;

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Where the string that begins at a quote ends: its closing quote, or the end of the text. Most strings have no quote in them. */
function endOfString(text: string, start: number): number {
  const next = text.indexOf('"', start + 1);
  if (next < 0) return text.length;
  if (text.charCodeAt(next - 1) !== BACKSLASH) return next;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return text.length;
}
