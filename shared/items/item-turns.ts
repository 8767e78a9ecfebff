import type { CallContext } from '../call-context.ts';
import { errors } from '../errors.ts';
import { createFairSemaphore, type FairSemaphore } from '../fair-queue.ts';
import type { PerchError } from '../perch-error.ts';
import { type ItemRef, itemKey } from './item.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import type { Query } from './sql.ts';
import { timeToCommit, writeInTime } from './write-in-time.ts';

/**
 * Changes that lock the same row, one at a time: the others wait here, and not in the database, where each would hold a
 * transaction meanwhile. Changes of one client go in the order in which they came; clients take turns. Work that has a turn must not
 * ask for another one, and asks for its turn before it begins a transaction: so nothing with a turn waits for somebody who waits for it.
 */
export interface ItemTurns {
  /**
   * @param row names what is locked: an item (`itemKey`), or a key of a store
   * @param what names the change in errors
   * @throws TIMEOUT when its turn did not come in time, UNAVAILABLE when too many wait; nothing was begun then
   */
  take<T>(row: string, context: CallContext, what: string, change: () => Promise<T>): Promise<T>;
  /** How many rows have changes under way. */
  readonly rows: number;
}

/** The most changes of a row that wait, as many as a process has operations under way; half of them for one client. */
export const WAITING_FOR_A_ROW = 1_000;

/** @param shed counts a change that is refused because too many wait, and returns the error for it */
export function createItemTurns(shed: () => PerchError): ItemTurns {
  const rows = new Map<string, { turns: FairSemaphore; users: number }>();
  return {
    async take(name, context, what, change) {
      const row = rows.get(name) ?? { turns: createFairSemaphore(1, WAITING_FOR_A_ROW), users: 0 };
      rows.set(name, row);
      row.users += 1;
      const turn = {
        client: context.client ?? '',
        limitMs: Math.ceil(timeToCommit(context)),
        refuse: () => (timeToCommit(context) <= 0 ? errors.timeout(what) : shed()),
      };
      try {
        return await row.turns.run(turn, change);
      } finally {
        row.users -= 1;
        if (row.users === 0) rows.delete(name);
      }
    },
    get rows() {
      return rows.size;
    },
  };
}

/** Changes an item, when its turn has come, in a transaction that locks the item's row: see `writeInTime`. */
export const changeItem = async <T>(
  deps: Pick<ItemDependencies, 'sql' | 'turns'>,
  item: ItemRef,
  context: CallContext,
  what: string,
  work: (tx: Query) => Promise<T>,
): Promise<T> =>
  await deps.turns.take(itemKey(item), context, what, () => writeInTime(deps, context, what, work));
