import { steadyNow } from '../../../shared/deadline.ts';
import type { FairBudget } from '../admission/fair-budget.ts';
import type { Connection } from '../http/client.ts';
import type { LongReader } from './long-reads.ts';

/** How much a reader takes at least: `leastBytes` in each window of `windowMs`. */
export interface ReadPace {
  windowMs: number;
  leastBytes: number;
}

/**
 * Answers that hold something until they are over. Nobody here sees how much a reader has taken: who has not taken all in the
 * time that the least pace allows for it, and a window more, is cut off. Bun closes the connection of one that takes nothing
 * within its `idleTimeout`.
 */
export interface AnswerWatch {
  /** Calls `end` once, when the answer of so many bytes is over. */
  add(connection: Connection, bytes: number, end: () => void): void;
  /** Ends those whose answers are over; otherwise that happens a few times a second. */
  settle(): void;
}

interface UnderWay {
  connection: Connection;
  /** When it has to be over, by `steadyNow`. */
  latestAt: number;
  end(): void;
}

/** How often it is looked whether answers are over, in ms. */
const LOOK_MS = 250;

/** @param onSlow called for each reader that was too slow */
export function createAnswerWatch({ pace, onSlow }: { pace: ReadPace; onSlow(): void }): AnswerWatch {
  const underWay = new Set<UnderWay>();
  let looking: ReturnType<typeof setInterval> | undefined;

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
    clearInterval(looking);
    looking = undefined;
  };

  return {
    settle,
    add(connection, bytes, end) {
      const allowedMs = pace.windowMs * (1 + bytes / pace.leastBytes);
      underWay.add({ connection, latestAt: steadyNow() + allowedMs, end });
      looking ??= setInterval(settle, LOOK_MS);
    },
  };
}

/** Room for answers that are made for one reader and stay in memory until it has them. */
export interface HeldAnswers {
  /**
   * Holds some of the client's room for an answer of so many bytes, until its reader has it. Up to `UNHELD_BYTES` need none.
   * @throws UNAVAILABLE when earlier answers of the client that nobody takes leave no room in time
   */
  hold(reader: LongReader, bytes: number): Promise<void>;
}

/** About as much as the kernel takes at once of an answer; the cache keeps no longer values of keys. */
export const UNHELD_BYTES = 65_536;

export function createHeldAnswers(room: FairBudget, answers: AnswerWatch): HeldAnswers {
  return {
    async hold({ clientKey, connection }, bytes) {
      if (connection === null || bytes <= UNHELD_BYTES) return;
      const holding = room.open(clientKey);
      if (!holding.tryTake(bytes)) {
        // Room of answers that are over is free for this one.
        answers.settle();
        try {
          await holding.take(bytes);
        } catch (error) {
          holding.release();
          throw error;
        }
      }
      answers.add(connection, bytes, () => holding.release());
    },
  };
}

/** An answer of JSON that holds room until its reader has it. @throws what `HeldAnswers.hold` throws */
export async function heldJson(
  answers: HeldAnswers,
  reader: LongReader,
  body: unknown,
  headers: Record<string, string>,
): Promise<Response> {
  const text = JSON.stringify(body);
  await answers.hold(reader, Buffer.byteLength(text));
  return new Response(text, { headers: { 'Content-Type': 'application/json;charset=utf-8', ...headers } });
}
