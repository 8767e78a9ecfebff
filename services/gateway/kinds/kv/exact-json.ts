import { randomBytes } from 'node:crypto';
import { endOfString } from '../../http/json-depth.ts';

/**
 * Writes anew what a JSON text says, with every number as it was written. It takes ten times as long as reading and
 * writing the text plainly.
 * @param text JSON that has been read before
 * @param pick the part of it to write
 */
export function restateExactly(text: string, pick: (said: unknown) => unknown, indent = 0): string {
  // Numbers go through the parser as texts of their own, which nobody who sent the JSON can have foreseen.
  const mark = randomBytes(9).toString('base64url');
  const restated = JSON.stringify(pick(JSON.parse(withMarkedNumbers(text, mark))), null, indent);
  return restated.replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}

/** The same JSON with numbers that a double does not give back as they were written turned into marked texts. */
function withMarkedNumbers(text: string, mark: string): string {
  let marked = '';
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === MINUS || isDigit(code)) {
      const start = at;
      while (isNumberPart(text.charCodeAt(at + 1))) at += 1;
      const number = text.slice(start, at + 1);
      if (String(Number(number)) === number) continue;
      marked += `${text.slice(copied, start)}"${mark}${number}"`;
      copied = at + 1;
    }
  }
  return marked + text.slice(copied);
}

const QUOTE = 0x22;
const [PLUS, MINUS, POINT] = [0x2b, 0x2d, 0x2e];
const [UPPER_E, LOWER_E] = [0x45, 0x65];

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const isNumberPart = (code: number): boolean =>
  isDigit(code) || code === POINT || code === MINUS || code === PLUS || code === LOWER_E || code === UPPER_E;
