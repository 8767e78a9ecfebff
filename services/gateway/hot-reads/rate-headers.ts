import { resetSeconds, type WindowState } from '../../../shared/ports/cache.ts';

/** Sets the RateLimit headers that differ for each request. @param window `null`: the client is not limited, or nobody could tell */
export type SetRateHeaders = (limit: number, window: WindowState | null) => void;

/** @param headers of an answer that is given again */
export function createRateHeaders(headers: Headers): SetRateHeaders {
  let lastReset = 0;
  return (limit, window) => {
    if (window === null) return;
    headers.set('RateLimit-Remaining', String(limit - window.hits));
    // The time left is in whole seconds: within one, all answers to a client have the same.
    const reset = resetSeconds(window);
    if (reset !== lastReset) headers.set('RateLimit-Reset', String(reset));
    lastReset = reset;
  };
}
