import { steadyNow } from '../../../shared/deadline.ts';
import type { PerchError } from '../../../shared/perch-error.ts';
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
    takeSettled(take) {
      const taken = take();
      if (taken) return taken;
      settle();
      return take();
    },
    add(connection, bytes, end) {
      const allowedMs = pace.windowMs * (1 + bytes / pace.leastBytes);
      underWay.add({ connection, latestAt: steadyNow() + allowedMs, end });
      looking ??= setInterval(settle, LOOK_MS);
    },
  };
}

/** The reader of an answer from memory. */
export interface Reader extends LongReader {
  /** A HEAD has no body to hold. */
  isHead?: boolean;
}

/** Room for answers that are made for one reader and stay in memory until it has them. Up to `UNHELD_BYTES` need none. */
export interface ResponseMemory {
  /**
   * Holds some of the client's room for bytes that are still to be read, until the reader has them.
   * @throws UNAVAILABLE when earlier answers of the client that nobody takes leave no room in time
   */
  hold(reader: Reader, bytes: number): Promise<void>;
  /**
   * Holds room for an answer that is in memory already, where it must not wait.
   * @throws UNAVAILABLE when there is none for the client now
   */
  holdMade(reader: Reader, bytes: number): void;
}

/** About as much as the kernel takes at once of an answer; the cache keeps no longer values of keys. */
export const UNHELD_BYTES = 65_536;

/** @param refuse makes the error for a client without room */
export function createResponseMemory(
  room: FairBudget,
  answers: AnswerWatch,
  refuse: () => PerchError,
): ResponseMemory {
  /** The room that an answer takes, if there is some now. `null`: it needs none. */
  const takeNow = ({ clientKey, connection, isHead = false }: Reader, bytes: number) => {
    if (connection === null || isHead || bytes <= UNHELD_BYTES) return null;
    const holding = room.open(clientKey);
    const isTaken = answers.takeSettled(() => holding.tryTake(bytes));
    const keep = (): void => answers.add(connection, bytes, () => holding.release());
    return { holding, isTaken, keep };
  };

  return {
    async hold(reader, bytes) {
      const taken = takeNow(reader, bytes);
      if (taken === null) return;
      const { holding, isTaken, keep } = taken;
      try {
        if (!isTaken) await holding.take(bytes);
      } catch (error) {
        holding.release();
        throw error;
      }
      keep();
    },
    holdMade(reader, bytes) {
      const taken = takeNow(reader, bytes);
      if (taken === null) return;
      const { holding, isTaken, keep } = taken;
      if (isTaken) return keep();
      holding.release();
      throw refuse();
    },
  };
}

/** An answer of JSON that holds room until its reader has it. @throws what `ResponseMemory.holdMade` throws */
export function heldJson(
  memory: ResponseMemory,
  reader: Reader,
  body: unknown,
  headers: Record<string, string>,
): Response {
  const text = JSON.stringify(body);
  memory.holdMade(reader, Buffer.byteLength(text));
  return jsonText(text, headers);
}

export const jsonText = (text: string, headers: Record<string, string>): Response =>
  new Response(text, { headers: { 'Content-Type': 'application/json;charset=utf-8', ...headers } });
