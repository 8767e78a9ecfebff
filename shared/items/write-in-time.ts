import type { CallContext } from '../call-context.ts';
import { steadyNow } from '../deadline.ts';
import { errors } from '../errors.ts';
import { PerchError } from '../perch-error.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import type { Query } from './sql.ts';
import { limitStatements } from './statement-time.ts';

/** Time for a commit, its announcement and the reply, in ms: a write with less time left does not commit. */
const COMMIT_MS = 300;

/** The moment by which a write with that deadline has to be at its commit, by `steadyNow`. */
export const commitBy = ({ deadline }: Pick<CallContext, 'deadline'>): number => deadline - COMMIT_MS;

/** Milliseconds left until the write must commit; 0 or less: too late. */
export const timeToCommit = (write: Pick<CallContext, 'deadline'>): number => commitBy(write) - steadyNow();

/** @throws TIMEOUT when it is too late to commit */
export function assertInTime(context: CallContext, what: string): void {
  if (timeToCommit(context) <= 0) throw errors.timeout(what);
}

/**
 * Runs a transaction that commits only while its caller still waits for the answer. The time is checked again at the end,
 * when the transaction holds the locks of all rows that it has changed: a request that the caller sends after a TIMEOUT can
 * change them only after this commit, and so its change is the one that stays.
 * @throws TIMEOUT, nothing has changed then; UNAVAILABLE, with `mayBeDone` when the database was lost during the commit
 */
export async function writeInTime<T>(
  { sql }: Pick<ItemDependencies, 'sql'>,
  context: CallContext,
  what: string,
  work: (tx: Query) => Promise<T>,
): Promise<T> {
  assertInTime(context, what);
  let isCommitting = false;
  const begun = sql.begin(async (tx) => {
    isCommitting = false;
    await limitStatements(tx, timeToCommit(context));
    const outcome = await work(tx);
    assertInTime(context, what);
    isCommitting = true;
    return { outcome };
  });
  try {
    return (await begun).outcome;
  } catch (error) {
    throw isCommitting ? asUncertain(error) : error;
  }
}

/**
 * Waits for a statement that is a transaction by itself.
 * @throws what the statement does; UNAVAILABLE says `mayBeDone` when the database was lost meanwhile
 */
export async function orUncertain<T>(statement: Promise<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    throw asUncertain(error);
  }
}

/**
 * Turns the error of a commit, or of a statement that is a transaction by itself, into one that says `mayBeDone` when the
 * database was lost meanwhile. Returns every other error as it is.
 */
export function asUncertain(error: unknown): unknown {
  const isLost = error instanceof PerchError && error.code === 'UNAVAILABLE' && !error.isRefusal;
  return isLost ? errors.cutOff('database', error) : error;
}
