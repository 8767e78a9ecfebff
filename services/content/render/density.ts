/** Where the inline parser of markdown stops and looks. */
const MARKS = '*_[]`<>|~!$';
const isMark = new Uint8Array(128);
for (const mark of MARKS) isMark[mark.charCodeAt(0)] = 1;

/** Prose has one mark in 15 to 50 characters, a table of numbers or a list of badges one in 8. */
const DENSE_ONE_IN = 4;

/**
 * Whether markdown consists of marks to such a part that its time is not in proportion to its length: most of it takes
 * ten times as long as prose, and some more with the square of its length. A few milliseconds a megabyte.
 */
export function isDense(markdown: string): boolean {
  let marks = 0;
  for (let at = 0; at < markdown.length; at++) marks += isMark[markdown.charCodeAt(at)] ?? 0;
  return marks * DENSE_ONE_IN > markdown.length;
}
