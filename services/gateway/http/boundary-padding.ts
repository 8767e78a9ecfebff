/**
 * Makes a function that takes out of a multipart body, piece by piece, the white space that may stand behind a boundary in its
 * line (RFC 2046, section 5.1.1). Dicer takes it for the beginning of a part's headers.
 */
export function createPaddingFilter(boundary: string): (piece: Uint8Array) => Iterable<Buffer> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  /** Bytes that were passed on, and may be the beginning of a delimiter. The first one may open the body, without a line break. */
  let before = Buffer.from('\r\n');
  /** Whether a delimiter has ended, and nothing but white space has come since. */
  let isBehind = false;

  return function* filter(piece) {
    const data = Buffer.concat([before, piece]);
    /** Where the next delimiter may begin. */
    let from = isBehind ? pastWhiteSpace(data, 0) : 0;
    /** Where the bytes begin that are not passed on yet. */
    let rest = Math.max(from, before.length);
    for (let found = data.indexOf(delimiter, from); found >= 0; found = data.indexOf(delimiter, from)) {
      const end = found + delimiter.length;
      yield data.subarray(rest, end);
      from = rest = pastWhiteSpace(data, end);
    }
    isBehind = from === data.length;
    if (!isBehind) yield data.subarray(rest);
    before = data.subarray(Math.max(from, data.length - delimiter.length + 1));
  };
}

const [TAB, SPACE] = [9, 32];

function pastWhiteSpace(data: Buffer, from: number): number {
  let at = from;
  while (data[at] === SPACE || data[at] === TAB) at += 1;
  return at;
}
