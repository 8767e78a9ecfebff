import type { Clock } from '../../shared/clock.ts';
import { errors } from '../../shared/errors.ts';
import { itemKey } from '../../shared/items/item.ts';
import type { Database } from '../../shared/items/sql.ts';
import type { StoreOfEntry, WrittenEntry } from './repository/entries.ts';
import { type OwnedValue, replaceValues } from './repository/replace-values.ts';

type Replaced = WrittenEntry & StoreOfEntry;

export interface ValueWriter {
  /**
   * Replaces the value of a key that is there. `null`: it could not at once, and nothing has changed.
   * @param deadline ms since the epoch, after which nobody waits for it and it is no longer written
   * @throws TIMEOUT
   */
  replace(value: OwnedValue, deadline: number): Promise<Replaced | null>;
}

interface Waiting {
  value: OwnedValue;
  deadline: number;
  resolve(replaced: Replaced | null): void;
  reject(reason: unknown): void;
}

/** What goes into one statement at most: values, and bytes of them. */
const BATCH = { values: 128, bytes: 4 * 1_048_576 };

/**
 * Commits many writes as one: while a statement is under way what arrives gathers for the next, so that under load a
 * commit carries all who wait for it, and alone a write waits for nobody. Each is answered after its own commit.
 */
export function createValueWriter(sql: Database, clock: Clock): ValueWriter {
  let queue: Waiting[] = [];
  let writing = false;

  /** The first values that may go together; of one key only the first. */
  const takeBatch = (): Waiting[] => {
    const batch = new Map<string, Waiting>();
    const left: Waiting[] = [];
    let bytes = 0;
    for (const waiting of queue) {
      const { value } = waiting;
      // Whoever asked has perhaps asked again, and a newer value stands.
      if (waiting.deadline <= Date.now()) {
        waiting.reject(errors.timeout('kv.put-entry'));
        continue;
      }
      const name = `${itemKey(value)} ${value.key}`;
      const fits =
        batch.size === 0 || (batch.size < BATCH.values && bytes + value.value.length <= BATCH.bytes);
      if (fits && !batch.has(name)) {
        batch.set(name, waiting);
        bytes += value.value.length;
      } else left.push(waiting);
    }
    queue = left;
    return [...batch.values()];
  };
  const write = async (): Promise<void> => {
    writing = true;
    while (queue.length > 0) {
      const batch = takeBatch();
      if (batch.length === 0) continue;
      try {
        const values = batch.map(({ value }) => value);
        const replaced = await replaceValues(sql, values, clock.now());
        const byPlace = new Map(replaced.map(({ place, ...entry }) => [place, entry]));
        for (const [index, { resolve }] of batch.entries()) resolve(byPlace.get(index + 1) ?? null);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    writing = false;
  };

  return {
    replace: (value, deadline) =>
      new Promise((resolve, reject) => {
        queue.push({ value, deadline, resolve, reject });
        // At the end of the turn: what arrived with it goes along.
        if (!writing) {
          writing = true;
          setImmediate(() => void write());
        }
      }),
  };
}
