import { within } from '../../deadline.ts';

/** How often a server is asked whether it is a standby, and how long it is waited for, in ms. */
const ASK_EVERY_MS = 1_000;
const ANSWER_LIMIT_MS = 1_000;

export interface StandbyCheck {
  /** Asks the server whether it is a standby. */
  ask(): Promise<boolean>;
  /** Called each time that it says so. */
  onStandby(): void;
}

/**
 * Finds out why a server takes no changes: a standby never will, a primary that its operator or a guard of its disk has
 * made read-only goes on with reads. Calls within a second share an answer; no answer in time is a "no".
 */
export function createStandbyCheck({ ask, onStandby }: StandbyCheck): () => Promise<boolean> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer = Promise.resolve(false);
  const askNow = async (): Promise<boolean> => {
    const isStandby = await within(ask(), ANSWER_LIMIT_MS, () => new Error('no answer')).catch(() => false);
    if (isStandby) onStandby();
    return isStandby;
  };
  return async () => {
    const now = performance.now();
    if (now - askedAt >= ASK_EVERY_MS) {
      askedAt = now;
      answer = askNow();
    }
    return await answer;
  };
}
