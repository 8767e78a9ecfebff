import type { Clock } from '../../shared/clock.ts';
import { errors, PerchError } from '../../shared/errors.ts';
import { itemKey } from '../../shared/items/item.ts';
import type { Database } from '../../shared/items/sql.ts';
import { timeToCommit } from '../../shared/items/write-in-time.ts';
import type { DatabaseClock } from './database-clock.ts';
import type { StoreOfEntry, WrittenEntry } from './repository/entries.ts';
import { type OwnedValue, type ReplacedValue, replaceValues } from './repository/replace-values.ts';

type Replaced = WrittenEntry & StoreOfEntry;

export interface ValueWriter {
  /**
   * Replaces the value of a key that is there. `null`: it could not at once, and nothing has changed.
   * @param deadline by `steadyNow`, after which nobody waits for it; it is not written when that is near
   * @throws TIMEOUT
   */
  replace(value: OwnedValue, deadline: number): Promise<Replaced | null>;
}

interface Waiting {
  value: OwnedValue;
  /** The store and the key. */
  name: string;
  deadline: number;
  resolve(replaced: Replaced | null): void;
  reject(reason: unknown): void;
}

/** The most that goes into one statement: values, and their bytes. */
const BATCH = { values: 128, bytes: 4 * 1_048_576 };

/**
 * While one statement waits for the disk another can be prepared; but the fewer wait for it, the less it is worth its
 * commit.
 */
const SECOND_STATEMENT = { from: 8 };

/**
 * Commits many writes as one: while statements are under way what arrives gathers for the next, so that under load a
 * commit carries all who wait for it, and alone a write waits for nobody. Each is answered after its own commit.
 */
export function createValueWriter(sql: Database, clock: Clock, databaseClock: DatabaseClock): ValueWriter {
  let queue: Waiting[] = [];
  let statements = 0;
  let scheduled = false;
  /** Keys of which a value is being written: the next of the same key comes after it. */
  const busy = new Set<string>();

  /** The first values that may go together; of one key only the first. */
  const takeBatch = (): Waiting[] => {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    let bytes = 0;
    for (const waiting of queue) {
      const { value, name } = waiting;
      // The caller has given up and may have written again: a late write would undo the newer value.
      if (timeToCommit(waiting) <= 0) {
        waiting.reject(errors.timeout('kv.put-entry'));
        continue;
      }
      const fits =
        batch.length === 0 || (batch.length < BATCH.values && bytes + value.value.length <= BATCH.bytes);
      if (fits && !busy.has(name)) {
        busy.add(name);
        batch.push(waiting);
        bytes += value.value.length;
      } else left.push(waiting);
    }
    queue = left;
    return batch;
  };
  const write = async (batch: Waiting[]): Promise<void> => {
    const values = batch.map(({ value }) => value);
    try {
      const commitBy = await databaseClock.commitBy(Math.min(...batch.map(({ deadline }) => deadline)));
      const replaced = await replaceValues(sql, values, { now: clock.now(), commitBy });
      const byPlace = new Map(replaced.map((row) => [row.place, row]));
      for (const [index, { value, resolve }] of batch.entries()) {
        const row = byPlace.get(index + 1);
        resolve(row === undefined ? null : withGiven(row, value));
      }
    } catch (error) {
      if (batch.length > 1 && !(error instanceof PerchError)) await writeInHalves(batch);
      else for (const { reject } of batch) reject(error);
    }
  };
  /** The database has rejected one of the values, and with it all of the statement: the others are written without it. */
  const writeInHalves = async (batch: Waiting[]): Promise<void> => {
    const middle = Math.ceil(batch.length / 2);
    await write(batch.slice(0, middle));
    await write(batch.slice(middle));
  };
  const mayStart = (): boolean => {
    if (statements === 0) return queue.length > 0;
    if (statements > 1 || queue.length < SECOND_STATEMENT.from) return false;
    return queue.filter(({ name }) => !busy.has(name)).length >= SECOND_STATEMENT.from;
  };
  const start = (): void => {
    scheduled = false;
    while (mayStart()) {
      const batch = takeBatch();
      // All were late.
      if (batch.length === 0) return;
      statements += 1;
      void write(batch).finally(() => {
        statements -= 1;
        for (const { name } of batch) busy.delete(name);
        start();
      });
    }
  };

  return {
    replace: (value, deadline) =>
      new Promise((resolve, reject) => {
        queue.push({ value, name: `${itemKey(value)} ${value.key}`, deadline, resolve, reject });
        // At the end of the turn: what arrived with it goes along.
        if (scheduled) return;
        scheduled = true;
        setImmediate(start);
      }),
  };
}

const withGiven = (
  { version, sequence, updatedAt, store, expiresAt }: ReplacedValue,
  { key, sizeBytes }: OwnedValue,
): Replaced => ({ key, sizeBytes, version, sequence, updatedAt, store, expiresAt });
