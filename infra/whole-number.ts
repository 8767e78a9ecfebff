/** Reads a number of a command line. @throws RangeError when it is none, or out of its range (ends included) */
export function wholeNumber(text: string, [low, high]: readonly [number, number]): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= low && value <= high) return value;
  throw new RangeError(`${text} is not from ${low} to ${high}`);
}
