import type { CachedEntry } from '../items/entry.ts';
import type { ItemRef } from '../items/item.ts';
import type { ItemRecord } from '../items/item-record.ts';

/** The result of one read of an item. */
export interface Visit {
  /** `null` when the cache does not know the item; nothing was counted then. */
  record: ItemRecord | null;
  /** Views of the item so far, this one included when it was counted. */
  views: number;
}

/** The result of one read of a key of a store. */
export interface EntryVisit extends Visit {
  /** `null` when the cache does not know the key, or has a record of an earlier store under this address. */
  entry: CachedEntry | null;
}

/** A view counter that has grown since it was last saved. */
export interface ChangedViews extends ItemRef {
  views: number;
  /** The short code of the item that was viewed; `null` when the cache does not know its item record. */
  code: string | null;
  /** Views noted up to here (ms since the epoch) are in the number. */
  notedUntil: number;
}

/** A fixed window: at most `limit` hits per key in `seconds`. */
export interface WindowRule {
  /** Part of the key, so that windows do not mix: letters and dashes. */
  name: string;
  limit: number;
  seconds: number;
}

/** Where a key stands in its window. */
export interface WindowState {
  /** Hits so far in this window, this one included. */
  hits: number;
  /** Milliseconds until the window starts anew. */
  resetMs: number;
}

/** Records of items, and records of keys: each is told of by a repair pass of its own. */
export type CachePart = 'items' | 'entries';

/** How far a part of the cache has been told of all changes. The mark is kept beside that part, so both go back together. */
export interface CacheMark {
  /** Ms since the epoch. */
  toldUntil: number;
  /** The start of the database (`readDatabaseStart`) to which the changes belong. */
  databaseStart: string;
}

export interface CacheState {
  /** `null`: nobody knows how old that part of the cache is. */
  mark: CacheMark | null;
  /** Whether the mark was set since the cache's server was last started. Until then it is not served from that part. */
  isCurrent: boolean;
  /**
   * Whether the cache has been there long enough for every process to have found it again: before that one may still
   * acknowledge a change that the cache is not told of. Only then is it made current.
   */
  isSettled: boolean;
  /** Names the start of the cache's server. */
  run: string;
}

/** How long the address of the item at a host is kept, in ms. */
export const HOST_KEPT_MS = 86_400_000;

export interface CacheMemory {
  usedBytes: number;
  /** 0: it has no limit. */
  limitBytes: number;
}

/** The rest of a window in whole seconds, as headers tell it; at least one. */
export const resetSeconds = ({ resetMs }: WindowState): number => Math.max(1, Math.ceil(resetMs / 1000));

/**
 * Records of items and of keys, view counters, the addresses behind labels, and rate-limit windows. A cache that has come
 * back may have lost what it was told last, or much more. From then on it therefore knows no item record and no key,
 * whatever it holds, until a repair pass has made it `setCurrent`.
 * Calls made within one turn of the event loop share a round trip, and equal keys one command; counts stay exact.
 * Operations on records throw `UNAVAILABLE` when the cache is away. Windows and counts never throw for that: they fall back
 * to this process's own memory until it returns.
 * A cache that is full takes nothing new, but never goes on telling what is no longer true: what it knows is replaced.
 */
export interface Cache {
  /**
   * Reads an item's record and counts a view when `count` is set and the item record is open (live, no password).
   * The view of a protected item is counted by `countViews` once its reader has shown the password.
   * A visit that should count and gets no answer in time throws `TIMEOUT`: the cache may still count it, so whoever goes
   * on without the cache must not.
   */
  visit(item: ItemRef, count: boolean): Promise<Visit>;
  /**
   * `visit` for several readers at once, each a view, or with a key `visitEntry`: `views` is that of the last of them.
   */
  visitTogether(item: ItemRef, key: string | null, readers: number): Promise<EntryVisit>;
  /** `visit`, and what is known of one key of the item, in the same round trip. */
  visitEntry(item: ItemRef, key: string, count: boolean): Promise<EntryVisit>;
  /**
   * Keeps what is known of a key of a store until `expiresAt` (ms since the epoch), the store's own expiry. Never
   * overwrites a higher sequence, and takes nothing for an item that was removed; returns whether the record is now the
   * given one. All records of a store go with it.
   */
  putEntry(item: ItemRef, record: CachedEntry, expiresAt: number): Promise<boolean>;
  /** Forgets the record of a removed key, unless it has another sequence by now. */
  forgetEntry(item: ItemRef, key: string, sequence: number): Promise<void>;
  /** The counters of many items, in their order; zeros while the cache is away. */
  viewsOf(items: ItemRef[]): Promise<number[]>;
  /** Adds to an item's counter (a negative number takes back) and returns the new count. */
  countViews(item: ItemRef, views: number): Promise<number>;
  /**
   * Counters that have grown, some seconds after they have: those that did first come first. An item is told of again
   * until `viewsSaved`; several may ask at once and get the same. Throws `UNAVAILABLE` when the cache is away.
   */
  changedViews(limit: number): Promise<ChangedViews[]>;
  /** Says that these are saved. Items viewed since are told of once more. */
  viewsSaved(saved: ChangedViews[]): Promise<void>;
  /** Says that these cannot be saved yet: they are told of again, but not for so many ms, and behind all that is due by then. */
  deferViews(changed: ChangedViews[], ms: number): Promise<void>;
  /**
   * Writes an item record unless a newer version is there; returns whether the record is now the given one. A view
   * counter below the record's `savedViews` was lost, and starts again from those; views counted before the record was
   * known are added.
   */
  putRecord(itemRecord: ItemRecord): Promise<boolean>;
  /** Forgets the item record of an item if it is of that version; its views stay. */
  forgetRecord(item: ItemRef, version: number): Promise<void>;
  /**
   * The address of the item at a host: a label of the service's domain, or an owner's domain. `null` when `keepHost` was told of
   * none, and while the cache is away. A label never changes its item, a domain does, and either item may be gone: its record tells.
   */
  itemAtHost(name: string): Promise<ItemRef | null>;
  /** Keeps the address of the item at a host for a day. Does nothing while the cache is away. */
  keepHost(name: string, item: ItemRef): Promise<void>;
  /** Forgets what `keepHost` was told of a host: a domain goes from item to item. Does nothing while the cache is away. */
  forgetHost(name: string): Promise<void>;
  /** Reads how current a part of the cache is. */
  stateOf(part: CachePart): Promise<CacheState>;
  /**
   * Says that a part has been told everything until then. Returns whether that took place: not when the server was started
   * again since `run`, as it may have lost some of it.
   */
  setCurrent(part: CachePart, mark: CacheMark, run: string): Promise<boolean>;
  /**
   * Forgets all of a part that was put since a moment (ms since the epoch), or, with `null`, all of it. Views stay with the
   * item that they were counted for. `onBatch` is awaited after each of the batches in which this is done.
   */
  forget(part: CachePart, since: number | null, onBatch: () => Promise<unknown>): Promise<void>;
  /** Calls back whenever the cache has come back and is not current. */
  onReturn(listener: () => void): void;
  /** Counts a hit, or several, also above the limit: the caller compares. `hits` is that of the last of them. */
  hit(rule: WindowRule, key: string, times?: number): Promise<WindowState>;
  /** Takes back one hit. */
  giveBack(rule: WindowRule, key: string): Promise<void>;
  /** The window without counting; zero hits when none is open. */
  peek(rule: WindowRule, key: string): Promise<WindowState>;
  /** Resolves when the cache answers. */
  check(): Promise<void>;
  /**
   * Memory of the server that holds it; `null` for a cache within this process, whose memory it is.
   * Throws `UNAVAILABLE` when the cache is away.
   */
  memory(): Promise<CacheMemory | null>;
  close(): Promise<void>;
}
