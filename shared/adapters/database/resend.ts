import { isAway, isRestart, takesNoChanges } from './errors.ts';

/** A piece of work for the database, made anew for each time that it is sent. */
export interface Attempt<T> {
  start(): Promise<T>;
  /** Whether any of it may have reached the server. */
  wasSent(): boolean;
}

/** Starts work for the database, under limits. */
export type Send = <T>(start: () => Promise<T>) => Promise<T>;

/** Sends a piece of work, perhaps several times until it is sent for certain. */
export type Resend = <T>(make: () => Attempt<T>, send: Send) => Promise<T>;

/** Sends work once that is of no use on another connection: the statements of a transaction. */
export const sendOnce: Resend = (make, send) => send(() => make().start());

/** How long work waits for a server that has just gone, or for one that says that it is starting, in ms. */
const GRACE_MS = 5_000;

/** Times that work is sent without a wait: its connection may have kept the error of a former one, see below. */
const AT_ONCE = 3;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 250;
/** After so long nobody waits for the outcome any more. */
const LAST_ATTEMPT_MS = 9_000;

/**
 * Sends work again that failed before any of it was sent, because the server was away or restarting. A server that
 * restarts is back within a few seconds; so long, work waits. In an outage that lasts longer it fails at once, so that
 * nothing piles up behind it, until the server answers again.
 *
 * A connection of postgres 3.4.9 that ends with a statement under way keeps the server's last error (57P03 of an attempt
 * to connect, for example), and hands it to the first statement of its next connection in place of sending that: seconds
 * or hours after the server is back.
 *
 * One of several servers takes changes. Work that met another one is sent to the next.
 * @param maxWaiting pieces of work that wait at once; further ones fail
 * @param hosts how many servers there are
 * @param isStandby whether the server that takes no changes is a standby: another one may take them
 */
export function createResend(
  maxWaiting: number,
  hosts = 1,
  isStandby: () => Promise<boolean> = () => Promise.resolve(false),
): Resend {
  /** Since when nothing was answered, as nobody is there; and since when, as the server is starting. */
  let awaySince: number | null = null;
  let startingSince: number | null = null;
  let waiting = 0;

  const answered = (): void => {
    awaySince = null;
    startingSince = null;
  };
  const isWithinGrace = (error: unknown, isGone: boolean): boolean => {
    const now = performance.now();
    if (isRestart(error)) {
      startingSince ??= now;
      return now - startingSince < GRACE_MS;
    }
    if (!isGone) return false;
    awaySince ??= now;
    return now - awaySince < GRACE_MS;
  };
  const pause = async (ms: number): Promise<void> => {
    waiting += 1;
    await Bun.sleep(ms);
    waiting -= 1;
  };

  return async (make, send) => {
    const begun = performance.now();
    for (let sends = 1; ; sends++) {
      const attempt = make();
      try {
        const answer = await send(() => attempt.start());
        answered();
        return answer;
      } catch (error) {
        if (attempt.wasSent() || performance.now() - begun > LAST_ATTEMPT_MS) throw error;
        const isGone = isAway(error) || (takesNoChanges(error) && (await isStandby()));
        const mayWait = isWithinGrace(error, isGone) && waiting < maxWaiting;
        if (isRestart(error) && sends < AT_ONCE) continue;
        // Also long after the grace: the next server may have taken over.
        if (!mayWait && !(isGone && sends < hosts)) throw error;
        await pause(Math.min(FIRST_PAUSE_MS * sends, MAX_PAUSE_MS));
      }
    }
  };
}
