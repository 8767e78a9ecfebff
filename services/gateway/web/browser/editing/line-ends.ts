/** A text as fields of a page have it: each line ends with LF. */
export const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n');

/** A text out of a field with the line ends of another: CR LF where all of that one are, so that an edit changes nothing else. */
export const withLineEndsOf = (text: string, other: string): string =>
  /\r\n/.test(other) && !/(?<!\r)\n/.test(other) ? text.replaceAll('\n', '\r\n') : text;
