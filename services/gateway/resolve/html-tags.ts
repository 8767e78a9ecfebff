/** Where a tag that begins at a place ends, behind its `>`; -1 when it does not. Linear, whatever the markup. */
export function tagEnd(markup: string, start: number): number {
  const stop = /["'>]/g;
  stop.lastIndex = start;
  for (let found = stop.exec(markup); found !== null; found = stop.exec(markup)) {
    const [sign] = found;
    if (sign === '>') return stop.lastIndex;
    const closing = markup.indexOf(sign, stop.lastIndex);
    if (closing < 0) return -1;
    stop.lastIndex = closing + 1;
  }
  return -1;
}
