import type { CallContext } from '../../../shared/call-context.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';

/** The state of a watched value. */
export interface Snapshot {
  /** The higher of two states is the newer. */
  order: number;
  /** The id of the value's event: a client that comes back with it is told of later ones alone. */
  id: string;
  /** Names the value: a watcher that has it needs no other. Differs from `id` where ids are given again. */
  state: string;
  /** One line of JSON; `null` when the reader said that it has this state already. */
  data: string | null;
  /** The rules by which watchers are let in (`accessRules`): when they change, each has to ask anew. */
  access: string;
  /** End of its life, in ms since the epoch. */
  expiresAt: number;
}

/** A value that can be watched: of a key, or an item's own. */
export interface Topic {
  item: ItemRef;
  /** `null`: the item itself, with all its keys. */
  key: string | null;
  /** Least time between two reads, in ms; without it changes that follow one another are read as fast as they can be. */
  minIntervalMs?: number;
  /**
   * Reads the state; `null`: the value is gone.
   * @param seen the order of the state that is known, of which no data is needed
   */
  read(context: CallContext, seen: number): Promise<Snapshot | null>;
}

/** Told of a value, by what the hub hears. Its functions return at once and never throw. */
export interface Watcher {
  /** Another value than the last; `data` is there. */
  changed(snapshot: Snapshot): void;
  /**
   * No more will be told: the value is `gone`; it may be read under other rules, so the client has to `ask-anew`; or this
   * process is `leaving`.
   */
  ended(why: 'gone' | 'ask-anew' | 'leaving'): void;
}

/**
 * By which rules watchers of an item were let in, and until when: which item it is, its password, and whether it is hidden from
 * all but its owner. Hiding is not the end of an item, so whoever follows it asks anew: its owner goes on by the API, others are
 * refused.
 */
export const accessRules = ({
  code,
  passwordHash,
  hidden,
  expiresAt,
}: LiveItemRecord): Pick<Snapshot, 'access' | 'expiresAt'> => ({
  access: `${code} ${passwordHash} ${hidden === true}`,
  expiresAt,
});
