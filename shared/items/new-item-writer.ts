import { errorCode } from '../error-code.ts';
import { PerchError } from '../errors.ts';
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

/** Makes items that hang on nothing but their own content, those that wait at a time in one commit. */
export interface NewItemWriter {
  /**
   * Returns the version of the item that it made. `null`: it could not, nothing has changed, and a transaction of the
   * item's own finds out why, or succeeds.
   * @param deadline by `steadyNow`, after which nobody waits for it; the item is not made when that is near
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
 * Inserts items by group commit. Blocked content, an upload that outlived its reservation, a repeated create: whatever is
 * wrong with one of them undoes the whole commit, and each goes on alone. So does each when one of them meets a row that
 * another transaction holds: alone it waits for it, and the others do not.
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
        // Nothing is made after the first of their deadlines: then the others have time to go on.
        if (mayBeDone(error) || (isAway(error) && !batch.some(isLate))) throw error;
        for (const { resolve } of rejectLate(batch, SUBJECT)) resolve(null);
      }
    },
  });

  const commitTogether = async (batch: Waiting[]): Promise<Map<string, number>> => {
    const commitBy = await deps.databaseClock.commitBy(earliestDeadline(batch));
    // In one order everywhere: processes with attempts at the same creates never wait for each other in a circle.
    const items = batch.map(({ made }) => made).sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const making = makeItems(deps.sql, items, {
      blobKeys: items.flatMap(({ item }) => blobKeysOf(item.content)),
      etags: [...new Set(items.flatMap(({ item }) => etagsOf(item)))],
      now: deps.clock.now(),
      commitBy,
      lockMs: LOCK_MS,
    });
    return await making.catch((error: unknown) => {
      // An attempt that the server undid has a certain outcome.
      throw error instanceof PerchError && hasMetAnother(error.cause) ? error : asUncertain(error);
    });
  };

  return {
    insert: (made, deadline) =>
      new Promise((resolve, reject) => {
        const bytes = ROW_BYTES + ETAG_BYTES * (made.item.fileEtags?.length ?? 0);
        // Two attempts at one create come one after the other: together they would undo one another.
        add({ ...{ made, deadline, bytes, resolve, reject }, name: keyOf(made) });
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
