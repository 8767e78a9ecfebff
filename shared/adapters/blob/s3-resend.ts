/** Error codes of a request whose connection was closed. */
const LOST = new Set<unknown>(['ECONNRESET', 'EPIPE']);

/** Times that a request is sent: those that wait beside it may have been closed at the same moment. */
const SENDS = 3;

/**
 * Sends a request again when its connection was lost. A server closes connections that wait whenever it likes, also
 * while a request is on its way (RFC 9112, section 9.3.1). Only for what may arrive twice.
 * @param limitMs how long somebody waits for the answer; later, it is not sent again
 */
export async function resendIfLost<T>(send: () => Promise<T>, limitMs: number): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (let sent = 1; ; sent++) {
    try {
      return await send();
    } catch (error) {
      if (sent === SENDS || performance.now() > deadline || !isLost(error)) throw error;
    }
  }
}

const isLost = (error: unknown): boolean => error instanceof Error && 'code' in error && LOST.has(error.code);
