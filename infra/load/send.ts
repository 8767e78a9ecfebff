import { messageOf } from '../../shared/message-of.ts';

/** An endpoint as the OpenAPI document names it: `/api/html/{ns}/{id}`. */
export interface Operation {
  method: string;
  template: string;
}

/** A request to one of several gateways. */
export interface Call extends Operation {
  /** The path with its query. */
  path: string;
  headers?: Record<string, string>;
  body?: RequestInit['body'];
}

/** The outcome of a request: an answer, or a connection that broke. */
export type Seen =
  | { answered: true; status: number; retryAfter: string | null; headers: Headers; text: string }
  | { answered: false; reason: string };

/** Longer than any request may take; a request that is still open then is a bug. */
const REQUEST_LIMIT_MS = 30_000;

export const AGENT = { 'User-Agent': 'PerchTests/1' };

/**
 * Sends a request and reads its answer to the end. A broken connection is an outcome, not an error.
 * @param limitMs how long it may take
 * @throws Error after that time without an answer
 */
export async function send(url: string, init: RequestInit = {}, limitMs = REQUEST_LIMIT_MS): Promise<Seen> {
  const limit = AbortSignal.timeout(limitMs);
  try {
    const response = await fetch(url, {
      ...init,
      headers: { ...AGENT, ...(init.headers as Record<string, string> | undefined) },
      signal: init.signal ? AbortSignal.any([init.signal, limit]) : limit,
    });
    const text = await response.text();
    const { status, headers } = response;
    return { answered: true, status, retryAfter: headers.get('retry-after'), headers, text };
  } catch (error) {
    if (limit.aborted) throw new Error(`${url} did not answer within ${limitMs} ms`);
    return { answered: false, reason: messageOf(error) };
  }
}

/** Sends a call; also one without an answer in time is an outcome. */
export async function sendCall(gateway: string, { method, path, headers, body }: Call): Promise<Seen> {
  const init = { method, ...(headers && { headers }), ...(body === undefined ? {} : { body }) };
  return await send(`${gateway}${path}`, init).catch(
    (error: unknown): Seen => ({ answered: false, reason: String(error) }),
  );
}

/** The status alone; 0 for a broken connection. */
export const statusOf = (seen: Seen): number => (seen.answered ? seen.status : 0);

/** Whether the server said that it cannot do this now, and when to try again. */
export const isRefusal = (seen: Seen): boolean =>
  seen.answered && (seen.status === 503 || seen.status === 504) && seen.retryAfter !== null;

/** How long `insist` repeats a request, in ms: a slow disk may keep a server busy for so long. */
const PATIENCE_MS = 30_000;

/**
 * Repeats a request until it is taken, for what prepares a load and what looks afterwards. While a disk stalls it is
 * refused, and a connection to a server that has just come back may still fail.
 */
export async function insist(ask: () => Promise<Seen>): Promise<Seen> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const seen = await ask();
    if ((seen.answered && !isRefusal(seen)) || Date.now() > deadline) return seen;
    await Bun.sleep(500);
  }
}
