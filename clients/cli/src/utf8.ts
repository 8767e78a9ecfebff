import { CommandError, EXIT } from './failures.ts';

/**
 * Bytes as text, with a byte order mark where they have one: in a text that is not UTF-8 letters would be lost without a word.
 * @param what names the bytes in the error
 */
export function utf8Of(bytes: Uint8Array | ArrayBuffer, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandError(`${what} is not in UTF-8. Convert it first.`, EXIT.refused);
  }
}
