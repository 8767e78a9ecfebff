import { errorCode } from '../error-code.ts';
import { PerchError } from '../perch-error.ts';
import { etagsOf } from './blocked-content.ts';
import { blobKeysOf } from './content.ts';
import type { DatabaseClock } from './database-clock.ts';
import {
  createBusyKeys,
  createGroupCommit,
  earliestDeadline,
  isLate,
  rejectLate,
  type WaitingWrite,
} from './group-commit.ts';
import { makeItems, type NewItem } from './insert-items.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import { asUncertain } from './write-in-time.ts';

/**
 * Inserts items that need no check or row beyond those of every item; all that wait at the same moment share one commit.
 */
export interface NewItemWriter {
  /**
   * Returns the version of the new item. `null`: nothing was inserted, and the caller tries a transaction for this item
   * alone, which succeeds or tells why it cannot.
   * @param deadline by `steadyNow`, after which nobody waits for it; the item is not inserted when that is near
   * @throws TIMEOUT; UNAVAILABLE, with `mayBeDone` when the database was lost during the commit
   */
  insert(item: NewItem, deadline: number): Promise<number | null>;
}

interface Waiting extends WaitingWrite {
  made: NewItem;
  resolve(version: number | null): void;
}

const SUBJECT = 'a new item';

/** Bytes of a row beside the title and the ETags of a site's files, roughly. */
const ROW_BYTES = 2_048;
const ETAG_BYTES = 40;

/** Longest wait of a commit for a row or lock that another transaction holds, in ms: all that share the commit wait along. */
const LOCK_MS = 500;

/**
 * Inserts items by group commit. The whole commit is undone when one of its items cannot be inserted (blocked content, an
 * upload that outlived its reservation, a repeated create), or waits too long for a row that another transaction holds. All
 * of them are then left to transactions of their own, so that only that one fails or waits.
 * @param shed see `GroupCommitOptions`
 */
export function createNewItemWriter(
  deps: Pick<ItemDependencies, 'sql' | 'clock'> & { databaseClock: DatabaseClock },
  shed?: () => PerchError,
): NewItemWriter {
  const add = createGroupCommit<Waiting>({
    subject: SUBJECT,
    busy: createBusyKeys(),
    shed,
    async commit(batch) {
      try {
        const versions = await commitTogether(batch);
        for (const { made, resolve } of batch) resolve(versions.get(made.item.code) ?? null);
      } catch (error) {
        // The commit fails after the earliest of their deadlines: the other items still have time for transactions of their
        // own.
        if (mayBeDone(error) || (isAway(error) && !batch.some(isLate))) throw error;
        for (const { resolve } of rejectLate(batch, SUBJECT)) resolve(null);
      }
    },
  });

  const commitTogether = async (batch: Waiting[]): Promise<Map<string, number>> => {
    const commitBy = await deps.databaseClock.commitBy(earliestDeadline(batch));
    // Sorted, so that processes with attempts at the same creates lock them in the same order, and never deadlock.
    const items = batch.map(({ made }) => made).sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const making = makeItems(deps.sql, items, {
      blobKeys: items.flatMap(({ item }) => blobKeysOf(item.content)),
      etags: [...new Set(items.flatMap(({ item }) => etagsOf(item)))],
      now: deps.clock.now(),
      commitBy,
      lockMs: LOCK_MS,
    });
    return await making.catch((error: unknown) => {
      // A transaction that the server has undone has a certain outcome: nothing was inserted.
      throw error instanceof PerchError && hasMetAnother(error.cause) ? error : asUncertain(error);
    });
  };

  return {
    insert: (made, deadline) =>
      new Promise((resolve, reject) => {
        const bytes = ROW_BYTES + ETAG_BYTES * (made.item.fileEtags?.length ?? 0);
        // The name keeps two attempts at one create out of the same commit, where one would undo the other.
        add({ made, deadline, bytes, resolve, reject, name: keyOf(made) });
      }),
  };
}

const keyOf = ({ idempotency }: NewItem): string => idempotency.key;

const mayBeDone = (error: unknown): boolean => error instanceof PerchError && error.mayBeDone;

/** Whether the database is away or full: then none of them goes on alone. */
const isAway = (error: unknown): boolean =>
  error instanceof PerchError &&
  (error.code === 'UNAVAILABLE' || error.code === 'STORAGE_FULL') &&
  !hasMetAnother(error.cause);

/** SQLSTATEs of a transaction that another one was in the way of, or that took too long: statement timeout, serialization failure, deadlock. */
const MET_ANOTHER = ['57014', '40001', '40P01'];

const hasMetAnother = (cause: unknown): boolean => MET_ANOTHER.includes(errorCode(cause) ?? '');
