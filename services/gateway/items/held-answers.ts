import type { FairBudget } from '../admission/fair-budget.ts';
import type { AnswerWatch } from './answer-watch.ts';
import type { LongReader } from './long-reads.ts';

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
