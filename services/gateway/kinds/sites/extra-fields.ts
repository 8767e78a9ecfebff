/** The content of a header's extra field, or `null`. Fields behind a malformed one are not looked for. */
export function findExtra(extra: Buffer, id: number): Buffer | null {
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (end > extra.length) return null;
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, end);
    at = end;
  }
  return null;
}
