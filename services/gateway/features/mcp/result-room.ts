import { steadyNow } from '../../../../shared/deadline.ts';
import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { holdFor } from '../../admission/fair-budget.ts';
import { type MemoryBudget, SMALL_BODY_BYTES } from '../../admission/memory-budget.ts';
import { jsonStructure } from '../../http/json.ts';
import type { RequestContext } from '../../http/request-context.ts';

/** Characters that the results of one message's reads have in its answer. */
const MAX_CHARACTERS = 16 * 1_048_576;

/** Bytes for each of them: in the result, in the answer's text, and in its bytes. At most the reserve of the budget in all. */
const BYTES_OF_CHARACTER = 4;

/** Characters that one outside of strings counts for: an empty object takes 60 bytes. */
const CHARACTERS_OF_STRUCTURE = 6;

/** Most characters outside of strings that count: no document has more, though its numbers may have been shorter there. */
const MAX_STRUCTURE = LIMITS.jsonBytes;

/** Room for what the reading tools of one message return; all of it is in memory until the answer is built. */
export interface ResultRoom {
  /**
   * Runs a read after those before it, so that no two that are not counted yet are in memory, and holds room for its result
   * until the request ends. After one that found no room no further is run.
   * @throws TOO_LARGE when the message's results are too large together; UNAVAILABLE when no room comes free in time; TIMEOUT
   * when the reads before it have taken the request's time; what `run` throws
   */
  read<Result extends { text: string }>(run: () => Promise<Result>): Promise<Result>;
}

export function openResultRoom(context: RequestContext, budget: MemoryBudget): ResultRoom {
  const [small, large] = [holdFor(context, budget.small), holdFor(context, budget.large)];
  let used = 0;
  let last: Promise<unknown> = Promise.resolve();

  const hold = async (text: string): Promise<void> => {
    const characters = charactersInAnswer(text);
    used += characters;
    assertRoom();
    const bytes = BYTES_OF_CHARACTER * characters;
    await (bytes <= SMALL_BODY_BYTES ? small : large).take(bytes);
  };

  const assertRoom = (): void => {
    if (used > MAX_CHARACTERS) throw errors.resultsTooLarge(MAX_CHARACTERS);
  };

  return {
    read(run) {
      const turn = last.then(async () => {
        if (steadyNow() > context.callContext.deadline) throw errors.timeout('the calls before it');
        assertRoom();
        const result = await run();
        await hold(result.text);
        return result;
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

/** A result is in the answer as an object and, escaped once more, as a text. */
function charactersInAnswer(text: string): number {
  let escapes = 0;
  for (let at = 0; at < text.length; at += 1) if (isEscaped(text.charCodeAt(at))) escapes += 1;
  const structure = Math.min(jsonStructure(text, Number.POSITIVE_INFINITY), MAX_STRUCTURE);
  return 2 * text.length + escapes + CHARACTERS_OF_STRUCTURE * structure;
}

/** Whether JSON, which has no control characters, escapes a character: quotes and backslashes. */
const isEscaped = (code: number): boolean => code === 0x22 || code === 0x5c;
