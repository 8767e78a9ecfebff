/** Throws for what is no UTF-8, and takes a byte order mark for a character of the text. */
export const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A header's value as its sender meant it. HTTP hands its bytes over as Latin-1, but shells and most clients send
 * UTF-8, so that it equals the same text in a query; what is not UTF-8 is Latin-1, as browsers send it.
 */
export function headerText(headers: Headers, name: string): string | null {
  const value = headers.get(name);
  if (value === null || !/[\u0080-\u00ff]/.test(value)) return value;
  try {
    return strictUtf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/** Text as a header's value that `headerText` reads back. */
export const toHeaderText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Copies a slice of a text, for values that outlive their request: a slice itself keeps the whole text in memory. */
export const copyOfSlice = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** Whether the database can hold a text of any lines: its text has no NUL, and its UTF-8 no halves of surrogate pairs. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Message of the validation issue for a text that is not storable. */
export const NOT_STORABLE = 'must not contain NUL or half of a surrogate pair.';

/** A text of a form with its line ends as its field counts them: one character each. */
export const withLineFeeds = (text: string): string => text.replaceAll('\r\n', '\n');
