import { resetSeconds, type WindowState } from '../../../shared/ports/cache.ts';

/** Sets the RateLimit headers that differ for each request. @param window `null`: the client is not limited, or nobody could tell */
export function setRateHeaders(headers: Headers, limit: number, window: WindowState | null): void {
  if (window === null) return;
  headers.set('RateLimit-Remaining', String(limit - window.hits));
  headers.set('RateLimit-Reset', String(resetSeconds(window)));
}
