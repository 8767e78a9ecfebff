import type { PerchError } from '../../../shared/perch-error.ts';
import type { FairBudget } from '../admission/fair-budget.ts';
import { jsonText } from '../http/json-response.ts';
import type { AnswerWatch, LongReader } from './answer-watch.ts';

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
