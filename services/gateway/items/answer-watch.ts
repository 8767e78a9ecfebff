import { steadyNow } from '../../../shared/deadline.ts';
import type { Connection } from '../http/client.ts';

/** The reader of a long content. */
export interface LongReader {
  clientKey: string;
  /** `null`: the reader is no client of this server. */
  connection: Connection | null;
}

/** How much a reader takes at least: `minBytes` in each window of `windowMs`. */
export interface ReadPace {
  windowMs: number;
  minBytes: number;
}

/**
 * Watches responses that hold a resource until they are sent. Bun does not tell how much a client has received, so one that is
 * not complete after `windowMs * (1 + bytes / minBytes)` is cut off. Bun itself closes connections that receive nothing within
 * `idleTimeout`.
 */
export interface AnswerWatch {
  /** Calls `end` once, when the answer of so many bytes is over. */
  add(connection: Connection, bytes: number, end: () => void): void;
  /** Ends finished responses now rather than at the next periodic check. */
  settle(): void;
  /** Calls `take`, and once more, after freeing what finished responses hold, if it returns `null` or `false`. */
  takeSettled<Taken>(take: () => Taken): Taken;
}

interface UnderWay {
  connection: Connection;
  /** When it has to be over, by `steadyNow`. */
  latestAt: number;
  end(): void;
}

/** Interval of the check for finished responses, in ms. */
const CHECK_INTERVAL_MS = 250;

/** @param onSlow called for each reader that was too slow */
export function createAnswerWatch({ pace, onSlow }: { pace: ReadPace; onSlow(): void }): AnswerWatch {
  const underWay = new Set<UnderWay>();
  let checking: ReturnType<typeof setInterval> | undefined;

  const cutOffLate = (answer: UnderWay): void => {
    if (steadyNow() < answer.latestAt) return;
    answer.latestAt = Number.POSITIVE_INFINITY;
    onSlow();
    answer.connection.hurry();
  };

  const settle = (): void => {
    for (const answer of underWay) {
      if (!answer.connection.isOver()) {
        cutOffLate(answer);
        continue;
      }
      underWay.delete(answer);
      answer.end();
    }
    if (underWay.size > 0) return;
    clearInterval(checking);
    checking = undefined;
  };

  return {
    settle,
    takeSettled(take) {
      const taken = take();
      if (taken) return taken;
      settle();
      return take();
    },
    add(connection, bytes, end) {
      const allowedMs = pace.windowMs * (1 + bytes / pace.minBytes);
      underWay.add({ connection, latestAt: steadyNow() + allowedMs, end });
      checking ??= setInterval(settle, CHECK_INTERVAL_MS);
    },
  };
}
