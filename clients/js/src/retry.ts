import { PerchConnectionError, PerchError } from './errors.ts';

export interface RetryOptions {
  /** How often a request is sent at most, the first time included; 1: never again. 4 when left out. */
  attempts?: number;
  /** The longest a wait may be that the service asks for, in ms; of more the error is thrown at once. 60,000 when left out. */
  maxWaitMs?: number;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;

/** Answers after which the same request may succeed. */
const PASSING = new Set([429, 500, 502, 503, 504]);

/**
 * Calls `send` until it succeeds, fails for good, or its attempts are used up. Only for requests that may be sent twice.
 * Waits as long as `Retry-After` says, else twice as long each time; never exactly, so that clients do not come back together.
 */
export async function retrying<T>(
  send: () => Promise<T>,
  { attempts = 4, maxWaitMs = 60_000 }: RetryOptions,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      const wait = waitAfter(error, attempt);
      if (attempt >= attempts || wait === null || wait > maxWaitMs * 1.25) throw error;
      await sleep(wait, signal);
    }
  }
}

/** How long to wait before the next attempt, in ms; `null` when it would fail as well. */
function waitAfter(error: unknown, attempt: number): number | null {
  const mayPass =
    error instanceof PerchConnectionError ||
    (error instanceof PerchError && PASSING.has(error.status) && error.code !== 'STORAGE_FULL');
  return mayPass ? delayAfter(error, attempt, MAX_DELAY_MS) : null;
}

/** The wait after so many failures, the last one of which is given, in ms: twice as long each time, or as the service says. */
export function delayAfter(error: unknown, failures: number, longestMs: number): number {
  const backoff = Math.min(longestMs, FIRST_DELAY_MS * 2 ** (failures - 1));
  const asked = error instanceof PerchError ? error.retryAfterMs : null;
  return asked === null ? backoff * jitter() : asked + backoff * Math.random();
}

const jitter = (): number => 0.5 + Math.random() / 2;

/** Timers cannot wait longer, in ms. */
const MAX_SLEEP_MS = 2 ** 31 - 1;

/** Rejects with the signal's reason when it is given before the end. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, MAX_SLEEP_MS),
    );
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}
