import type { Clock } from '../../shared/clock.ts';
import type { DatabaseClock } from '../../shared/items/database-clock.ts';
import {
  type BusyKeys,
  createBusyKeys,
  createGroupCommit,
  earliestDeadline,
  type WaitingWrite,
} from '../../shared/items/group-commit.ts';
import { storeKey } from '../../shared/items/item.ts';
import type { Database } from '../../shared/items/sql.ts';
import type { PerchError } from '../../shared/perch-error.ts';
import type { StoreOfEntry, WrittenEntry } from './repository/entries.ts';
import { type OwnedValue, type ReplacedValue, replaceValues } from './repository/replace-values.ts';

type Replaced = WrittenEntry & StoreOfEntry;

export interface ValueWriter {
  /**
   * Replaces the value of an existing key. `null`: nothing has changed, as the value was left out (see `replaceValues`).
   * @param deadline by `steadyNow`, after which nobody waits for it; it is not written when that is near
   * @throws TIMEOUT
   */
  replace(value: OwnedValue, deadline: number): Promise<Replaced | null>;
  /**
   * As `replace`, for callers who are answered together. `null` as well when another write of the key is under way or
   * waits: nobody waits for the writes of somebody else's key.
   */
  replaceAtOnce(value: OwnedValue, deadline: number): Promise<Replaced | null>;
}

interface Waiting extends WaitingWrite {
  value: OwnedValue;
  resolve(replaced: Replaced | null): void;
}

interface Dependencies {
  sql: Database;
  clock: Clock;
  databaseClock: DatabaseClock;
}

/**
 * Replaces values by group commit; of one key only the first goes into a batch.
 * @param shed see `GroupCommitOptions`
 */
export function createValueWriter(
  { sql, clock, databaseClock }: Dependencies,
  busy: BusyKeys = createBusyKeys(),
  shed?: () => PerchError,
): ValueWriter {
  const add = createGroupCommit<Waiting>({
    subject: 'kv.put-entry',
    busy,
    shed,
    async commit(batch) {
      const values = batch.map(({ value }) => value);
      const commitBy = await databaseClock.commitBy(earliestDeadline(batch));
      const replaced = await replaceValues(sql, values, { now: clock.now(), commitBy });
      const byPlace = new Map(replaced.map((row) => [row.place, row]));
      for (const [index, { value, resolve }] of batch.entries()) {
        const row = byPlace.get(index + 1);
        resolve(row === undefined ? null : withGiven(row, value));
      }
    },
  });
  const queued = (value: OwnedValue, deadline: number, waitsForKey: boolean): Promise<Replaced | null> =>
    new Promise((resolve, reject) => {
      const name = storeKey(value);
      const waiting: Waiting = { value, name, deadline, resolve, reject, bytes: value.value.length };
      add(waitsForKey ? waiting : { ...waiting, leaveOut: () => resolve(null) });
    });
  return {
    replace: (value, deadline) => queued(value, deadline, true),
    replaceAtOnce: (value, deadline) => queued(value, deadline, false),
  };
}

const withGiven = (
  { version, sequence, updatedAt, store, expiresAt }: ReplacedValue,
  { key, sizeBytes }: OwnedValue,
): Replaced => ({ key, sizeBytes, version, sequence, updatedAt, store, expiresAt });
