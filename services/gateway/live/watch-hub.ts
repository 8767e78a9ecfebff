import type { Clock } from '../../../shared/clock.ts';
import { subscribeToChanges } from '../../../shared/contracts/changes.ts';
import { createCountingSemaphore } from '../../../shared/counting-semaphore.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import { newRequestId } from '../../../shared/ids.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Bus, Subscription } from '../../../shared/ports/bus.ts';
import { turns } from '../../../shared/turns.ts';
import type { Snapshot, Topic, Watcher } from './topic.ts';

/**
 * Tells watchers of changes. However many watch a value, this process hears of its changes once, and reads it once. Changes
 * that come while it is read or told are one: watchers get the latest.
 */
export interface WatchHub {
  /** Tells a watcher of all that comes after the state it knows. Returns how to stop. */
  watch(topic: Topic, known: Snapshot, watcher: Watcher): () => void;
  /** How many values are watched. */
  readonly topics: number;
  /** Ends all watches, and each later one at once. */
  leave(): Promise<void>;
}

interface Watch {
  watcher: Watcher;
  /** Its number, in the order in which watchers joined: a read that began before it joined may find an older state than it knows. */
  joined: number;
  /** The state it was told last. */
  order: number;
  state: string;
  access: string;
}

interface Watched {
  topic: Topic;
  order: number;
  expiresAt: number;
  watches: Set<Watch>;
  isReading: boolean;
  /** Whether something has changed since the read under way began. */
  isStale: boolean;
  /** When it has to be read whatever is heard, by `steadyNow`. */
  dueAt: number;
}

interface WatchedItem {
  item: ItemRef;
  byKey: Map<string | null, Watched>;
  listening: Promise<Subscription | null>;
  /** Whether the last try to listen has failed. */
  isDeaf: boolean;
}

/** A publication may be missed: each value is read so often anyway, in ms. */
const LOOK_EVERY_MS = 5_000;
/** A read that failed is repeated so much later, in ms. */
const RETRY_MS = 1_000;
/** How often expiry and reads that are due are looked at, in ms. */
const CHECK_INTERVAL_MS = 250;
/** Longest that one read may take, in ms. */
const READ_LIMIT_MS = 5_000;
/** Values that are read at once. */
const READS_AT_ONCE = 64;
/** Watchers that are told in one go; then other requests get their turn. */
const TOLD_AT_ONCE = 250;

export interface WatchHubOptions {
  bus: Pick<Bus, 'listen' | 'onReturn'>;
  clock: Clock;
  log: Logger;
}

export function createWatchHub({ bus, clock, log }: WatchHubOptions): WatchHub {
  const items = new Map<string, WatchedItem>();
  const reads = createCountingSemaphore(READS_AT_ONCE);
  let isLeaving = false;
  /** Watchers that have joined since the start. */
  let joined = 0;

  const all = function* (): Generator<Watched> {
    for (const { byKey } of items.values()) yield* byKey.values();
  };

  const listen = async (watched: WatchedItem): Promise<Subscription | null> => {
    const { item } = watched;
    watched.isDeaf = false;
    try {
      const subscription = await subscribeToChanges(bus, item, (key) => {
        for (const [watchedKey, value] of watched.byKey)
          if (key === null || watchedKey === null || key === watchedKey) void refresh(value);
      });
      // The state that the first watcher knows may be older than this.
      for (const value of watched.byKey.values()) void refresh(value);
      return subscription;
    } catch (error) {
      log.warn({ error, item: itemKey(item) }, 'changes of an item are not heard; it is looked at instead');
      watched.isDeaf = true;
      return null;
    }
  };
  /** Does nothing while a try is under way: if both succeeded, each change would be heard twice. */
  const listenAgainIfDeaf = (watched: WatchedItem): void => {
    if (watched.isDeaf) watched.listening = listen(watched);
  };

  const find = (topic: Topic, known: Snapshot): Watched => {
    const name = itemKey(topic.item);
    let item = items.get(name);
    if (item === undefined) {
      item = { item: topic.item, byKey: new Map(), listening: Promise.resolve(null), isDeaf: false };
      items.set(name, item);
      item.listening = listen(item);
    }
    let watched = item.byKey.get(topic.key);
    if (watched === undefined) {
      const { order, expiresAt } = known;
      // Soon, as a change may have come before this, and after the state that is known.
      const dueAt = steadyNow();
      watched = { topic, order, expiresAt, watches: new Set(), isReading: false, isStale: false, dueAt };
      item.byKey.set(topic.key, watched);
    }
    return watched;
  };

  const forgetIfUnwatched = (watched: Watched): void => {
    if (watched.watches.size > 0) return;
    const { topic } = watched;
    const name = itemKey(topic.item);
    const item = items.get(name);
    if (item?.byKey.get(topic.key) !== watched) return;
    item.byKey.delete(topic.key);
    if (item.byKey.size > 0) return;
    items.delete(name);
    void item.listening.then((subscription) => subscription?.drain());
  };

  const end = (watched: Watched, watch: Watch, why: Parameters<Watcher['ended']>[0]): void => {
    if (!watched.watches.delete(watch)) return;
    watch.watcher.ended(why);
    forgetIfUnwatched(watched);
  };

  /** @param asked how many watchers had joined when the snapshot was asked for */
  const tell = async (watched: Watched, snapshot: Snapshot | null, asked: number): Promise<void> => {
    if (snapshot !== null) {
      watched.order = Math.max(watched.order, snapshot.order);
      watched.expiresAt = snapshot.expiresAt;
    }
    let told = 0;
    for (const watch of [...watched.watches]) {
      if (!watched.watches.has(watch)) continue;
      const isOutdated = snapshot === null || snapshot.access !== watch.access;
      // A watcher that joined while the value was read may know a newer one: the next read decides.
      if (isOutdated && watch.joined > asked) watched.isStale = true;
      else if (snapshot === null) end(watched, watch, 'gone');
      else if (snapshot.access !== watch.access) end(watched, watch, 'ask-anew');
      else if (snapshot.order > watch.order && snapshot.data !== null) {
        watch.order = snapshot.order;
        if (snapshot.state === watch.state) continue;
        watch.state = snapshot.state;
        watch.watcher.changed(snapshot);
      } else continue;
      told += 1;
      if (told % TOLD_AT_ONCE === 0) await turns(1);
    }
  };

  /** The oldest state that a watcher knows: of a newer one it needs the data. */
  const seenByAll = ({ watches }: Watched): number => {
    let oldest = Number.POSITIVE_INFINITY;
    for (const { order } of watches) oldest = Math.min(oldest, order);
    return oldest;
  };

  const readAndTell = async (watched: Watched): Promise<void> => {
    const context = { requestId: newRequestId(), deadline: steadyNow() + READ_LIMIT_MS };
    const seen = seenByAll(watched);
    await reads.acquire();
    const asked = joined;
    let snapshot: Snapshot | null;
    try {
      snapshot = await watched.topic.read(context, seen);
    } finally {
      reads.release();
    }
    watched.dueAt = steadyNow() + LOOK_EVERY_MS;
    await tell(watched, snapshot, asked);
  };

  const refresh = async (watched: Watched): Promise<void> => {
    watched.isStale = true;
    if (watched.isReading) return;
    watched.isReading = true;
    try {
      while (watched.isStale && watched.watches.size > 0) {
        watched.isStale = false;
        const begun = performance.now();
        await readAndTell(watched);
        // As long as that took the process is free for others: many watchers of a value that never rests would fill it.
        const { minIntervalMs } = watched.topic;
        if (minIntervalMs !== undefined) await Bun.sleep(minIntervalMs);
        else if (watched.isStale) await Bun.sleep(Math.min(CHECK_INTERVAL_MS, performance.now() - begun));
      }
    } catch (error) {
      watched.dueAt = steadyNow() + RETRY_MS;
      log.debug({ error, item: itemKey(watched.topic.item) }, 'a watched value could not be read');
    } finally {
      watched.isReading = false;
    }
  };

  const ticking = setInterval(() => {
    const [now, steady] = [clock.now(), steadyNow()];
    for (const item of items.values())
      for (const watched of item.byKey.values())
        if (watched.dueAt <= steady || (watched.expiresAt <= now && !watched.isReading)) {
          watched.dueAt = steady + LOOK_EVERY_MS;
          void refresh(watched);
          listenAgainIfDeaf(item);
        }
  }, CHECK_INTERVAL_MS);
  bus.onReturn(() => {
    for (const item of items.values()) listenAgainIfDeaf(item);
    for (const watched of all()) void refresh(watched);
  });

  return {
    watch(topic, known, watcher) {
      if (isLeaving) {
        watcher.ended('leaving');
        return () => undefined;
      }
      const watched = find(topic, known);
      const { order, state, access } = known;
      joined += 1;
      const watch = { watcher, joined, order, state, access };
      watched.watches.add(watch);
      // Either the new watcher or those already here have an older state: reading once more tells which.
      if (watched.order !== order) void refresh(watched);
      return () => {
        watched.watches.delete(watch);
        forgetIfUnwatched(watched);
      };
    },
    get topics() {
      let count = 0;
      for (const { byKey } of items.values()) count += byKey.size;
      return count;
    },
    async leave() {
      isLeaving = true;
      clearInterval(ticking);
      let ended = 0;
      for (const watched of [...all()])
        for (const watch of [...watched.watches]) {
          end(watched, watch, 'leaving');
          ended += 1;
          if (ended % TOLD_AT_ONCE === 0) await turns(1);
        }
    },
  };
}
