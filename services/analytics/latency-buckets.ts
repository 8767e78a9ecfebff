/** The first bucket ends here, in ms; each of the others is a tenth wider than the one before. */
const FIRST_MS = 0.01;
const GROWTH = 1.1;
/** Ends beyond ten minutes. */
const LAST_BUCKET = 189;

/** How many requests had a latency of a bucket. */
export interface LatencyCount {
  bucket: number;
  requests: number;
}

/** The bucket of a latency: the first one that does not end below it. */
export function bucketOf(latencyMs: number): number {
  if (latencyMs <= FIRST_MS) return 0;
  return Math.min(LAST_BUCKET, Math.ceil(Math.log(latencyMs / FIRST_MS) / Math.log(GROWTH)));
}

/** The middle of a bucket, in ms: at most 5 % from whatever lies in it. */
const middleOf = (bucket: number): number => FIRST_MS * GROWTH ** (bucket - 0.5);

/**
 * The latency that a share of requests (0 to 1) does not exceed, by the nearest rank, as the middle of its bucket.
 * `null` without requests. `counts` are in the order of their buckets.
 */
export function latencyAt(counts: readonly LatencyCount[], share: number): number | null {
  const total = counts.reduce((sum, { requests }) => sum + requests, 0);
  const rank = Math.max(1, Math.ceil(total * share));
  let below = 0;
  for (const { bucket, requests } of counts) {
    below += requests;
    if (below >= rank) return Number(middleOf(bucket).toPrecision(4));
  }
  return null;
}
