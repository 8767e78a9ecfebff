/**
 * Does something at once, and then not again before so many ms are over; calls in between do nothing. For lines in the
 * log about what is noticed with every request.
 */
export function throttle(everyMs: number, act: () => void, now = () => performance.now()): () => void {
  let actedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const at = now();
    if (at - actedAt < everyMs) return;
    actedAt = at;
    act();
  };
}
