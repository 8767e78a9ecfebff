import type { CallContext } from '../contracts/operation.ts';
import { steadyNow } from '../deadline.ts';
import { errors } from '../errors.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import type { Query } from './sql.ts';

/** What a commit, its announcement and the reply may take, in ms: whoever has less time left does not commit. */
const COMMIT_MS = 300;

/** What the database allows a statement without being asked for less, in ms. */
const USUAL_STATEMENT_MS = 5_000;

/** How long a write may still go on before its commit, in ms; not above 0: it is too late. */
export const timeToCommit = ({ deadline }: Pick<CallContext, 'deadline'>): number =>
  deadline - COMMIT_MS - steadyNow();

/** @throws TIMEOUT when what is not committed by now cannot be answered in time */
export function assertInTime(context: CallContext, what: string): void {
  if (timeToCommit(context) <= 0) throw errors.timeout(what);
}

/**
 * A transaction that commits only while its caller waits for it. Time is looked at last, when it holds the locks of all it
 * has changed: whatever the caller sends after having been refused comes after this commit, and so wins.
 * @throws TIMEOUT; nothing has changed then
 */
export async function writeInTime<T>(
  { sql }: Pick<ItemDependencies, 'sql'>,
  context: CallContext,
  what: string,
  work: (tx: Query) => Promise<T>,
): Promise<T> {
  assertInTime(context, what);
  const written = await sql.begin(async (tx) => {
    const left = Math.ceil(timeToCommit(context));
    // Each wait for a lock is part of a statement.
    if (left < USUAL_STATEMENT_MS) {
      await tx`select set_config('statement_timeout', ${String(Math.max(1, left))}, true)`;
    }
    const outcome = await work(tx);
    assertInTime(context, what);
    return { outcome };
  });
  return written.outcome;
}
