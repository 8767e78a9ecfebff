import { isRestart } from './database-errors.ts';

/** A piece of work for the database, made anew for each time that it is sent. */
export interface Attempt<T> {
  start(): Promise<T>;
  /** Whether any of it may have reached the server. */
  wasSent(): boolean;
}

const ATTEMPTS = 3;
/** After so long nobody waits for the outcome any more. */
const LAST_ATTEMPT_MS = 9_000;

/**
 * Sends work again that failed before any of it was sent, because the server was restarting. A connection of postgres
 * 3.4.9 that ends with a statement under way keeps the server's last error, and hands it to the first statement of its
 * next connection in place of sending that: seconds or hours after the server is back.
 */
export async function sendUntilSent<T>(
  make: () => Attempt<T>,
  send: (start: () => Promise<T>) => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  const isLate = (): boolean => performance.now() - begun > LAST_ATTEMPT_MS;
  for (let left = ATTEMPTS; ; left -= 1) {
    const attempt = make();
    try {
      return await send(() => attempt.start());
    } catch (error) {
      if (left === 1 || attempt.wasSent() || !isRestart(error) || isLate()) throw error;
    }
  }
}
