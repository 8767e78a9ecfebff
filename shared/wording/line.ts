// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
export const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Whether a text fits on a line: without control characters and halves of surrogate pairs. */
export const isLine = (text: string): boolean => !CONTROL.test(text) && text.isWellFormed();

/** Whether a text has more characters (code points) than that; a huge text is not taken apart to find out. */
export const isLongerThan = (text: string, characters: number): boolean =>
  text.length > 2 * characters || [...text].length > characters;
