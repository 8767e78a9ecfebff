import { steadyNow } from '../deadline.ts';
import type { Database } from './sql.ts';
import { commitBy } from './write-in-time.ts';

export interface DatabaseClock {
  /** When a write with this deadline must be committed, in ms since the epoch by the database's clock; not later than that. */
  commitBy(deadline: number): Promise<number>;
  /** Compares the clocks anew at the next question: another server may have taken over. */
  forget(): void;
}

/** A call of `commitBy` compares the clocks again when the last comparison is older than this, in ms. */
const COMPARED_EVERY_MS = 60_000;
/** No write takes longer, in ms: a deadline that is further away counts as one this far away. */
const MAX_MS = 60_000;

/**
 * Translates this process's clock to the database's. A single-statement write can be delayed (by a stalled connection,
 * or when it is sent again), and only the database sees the time just before its commit; so the deadline is given in
 * the database's time.
 */
export function createDatabaseClock(sql: Database): DatabaseClock {
  let comparedAt = 0;
  let ahead: Promise<number> | null = null;
  let forgotten = 0;

  /**
   * How far the database's clock is ahead of this process's. The time that its answer takes to arrive makes that too
   * little, so deadlines come early rather than late.
   */
  const compare = async (): Promise<number> => {
    const [row] = await sql<Array<{ now: number }>>`select clock_timestamp() as now`;
    if (row === undefined) throw new Error('the database did not say what time it is');
    return row.now - steadyNow();
  };
  const refresh = (): Promise<number> => {
    comparedAt = steadyNow();
    const comparing = compare();
    const known = ahead;
    const before = forgotten;
    comparing.then(
      () => {
        if (forgotten === before) ahead = comparing;
      },
      () => {
        if (forgotten === before) ahead = known;
        comparedAt = 0;
      },
    );
    return comparing;
  };

  return {
    async commitBy(deadline) {
      ahead ??= refresh();
      if (steadyNow() - comparedAt > COMPARED_EVERY_MS) refresh().catch(() => undefined);
      return Math.min(commitBy({ deadline }), steadyNow() + MAX_MS) + (await ahead);
    },
    forget() {
      forgotten += 1;
      ahead = null;
    },
  };
}
