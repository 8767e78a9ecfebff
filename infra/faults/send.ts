/** What a client saw of a request: an answer, or a connection that broke. */
export type Seen =
  | { answered: true; status: number; retryAfter: string | null; text: string }
  | { answered: false; reason: string };

/** Longer than any request may take; a request that is still open then is a bug. */
const REQUEST_LIMIT_MS = 30_000;

export const AGENT = { 'User-Agent': 'PerchTests/1' };

/** Sends a request and reads its answer to the end; never throws for a broken connection. */
export async function send(url: string, init: RequestInit = {}): Promise<Seen> {
  try {
    const response = await fetch(url, {
      ...init,
      headers: { ...AGENT, ...(init.headers as Record<string, string> | undefined) },
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    const text = await response.text();
    return { answered: true, status: response.status, retryAfter: response.headers.get('retry-after'), text };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      throw new Error(`${url} did not answer within ${REQUEST_LIMIT_MS} ms`);
    }
    return { answered: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The status alone; 0 for a broken connection. */
export const statusOf = (seen: Seen): number => (seen.answered ? seen.status : 0);

/** Whether it says that this cannot be done now, and when to try again. */
export const isRefusal = (seen: Seen): boolean =>
  seen.answered && (seen.status === 503 || seen.status === 504) && seen.retryAfter !== null;
