import type { CallContext } from '../call-context.ts';
import { steadyNow } from '../deadline.ts';
import { errors, PerchError } from '../errors.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import type { Query } from './sql.ts';
import { limitStatements } from './statement-time.ts';

/** Time for a commit, its announcement and the reply, in ms: a write with less time left does not commit. */
const COMMIT_MS = 300;

/** The moment by which a write with that deadline has to be at its commit, by `steadyNow`. */
export const commitBy = ({ deadline }: Pick<CallContext, 'deadline'>): number => deadline - COMMIT_MS;

/** How long a write may still go on before its commit, in ms; not above 0: it is too late. */
export const timeToCommit = (write: Pick<CallContext, 'deadline'>): number => commitBy(write) - steadyNow();

/** @throws TIMEOUT when what is not committed by now cannot be answered in time */
export function assertInTime(context: CallContext, what: string): void {
  if (timeToCommit(context) <= 0) throw errors.timeout(what);
}

/**
 * A transaction that commits only while its caller waits for it. Time is looked at last, when it holds the locks of all it
 * has changed: whatever the caller sends after having been refused comes after this commit, and so wins.
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

/** A commit, or a statement that is one, has an unknown outcome when the database is lost meanwhile. */
export function asUncertain(error: unknown): unknown {
  const isLost = error instanceof PerchError && error.code === 'UNAVAILABLE' && !error.isRefusal;
  return isLost ? errors.cutOff('database', error) : error;
}
