/** The middle value, or the mean of the two in the middle. @throws RangeError without values */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new RangeError('a median of nothing');
  return (lower + upper) / 2;
}

/**
 * The median of what one side had to the other in the same round: load that comes and goes meets both sides of a
 * round alike.
 */
export function medianRatio(values: readonly number[], references: readonly number[]): number {
  return median(values.map((value, round) => value / (references[round] ?? Number.NaN)));
}

/** The value that a share of all values (0 to 1) does not exceed. @throws RangeError without values */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new RangeError('a percentile of nothing');
  return value;
}
