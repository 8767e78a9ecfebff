import { errors } from '../../errors.ts';
import type { CachedEntry } from '../../items/entry.ts';
import { type ItemRecord, isOpen } from '../../items/item-record.ts';
import type { EntryVisit } from '../../ports/cache.ts';
import { entryName, splitEntryName } from './entry-name.ts';
import type { RedisClient } from './redis-client.ts';
import { mayStillRun, ordinal, type RedisCommands } from './redis-commands.ts';
import { createEntryParser, createRecordParser, entriesKey, recordKey, viewsKey } from './redis-records.ts';
import type { RedisTrust } from './redis-trust.ts';
import type { RedisViews } from './redis-views.ts';
import type { TickOutcome } from './tick-batch.ts';

/** `missed` is 1 when Redis had no room to count. The entry's record comes with visits of an entry. */
type VisitReply = [itemRecord: string | null, views: number, missed: number, entry?: string | null];

interface Options {
  summing: RedisCommands['summing'];
  trust: Pick<RedisTrust, 'isCurrent' | 'era'>;
  counters: Pick<RedisViews, 'keep'>;
  /** Called for every item whose counter is about to grow. */
  onCounted(item: string): void;
  onFull(): void;
}

/** Visits of an item (named by `itemKey`) by several readers at once, of its record alone (`null`) or also of a key. */
type Visit = (item: string, key: string | null, readers: number) => Promise<EntryVisit>;

export function createRedisVisits(
  redis: RedisClient,
  { summing, trust, counters, onCounted, onFull }: Options,
): Visit {
  const visits = summing<VisitReply>('visit', (item, amount) => {
    if (amount > 0) onCounted(item);
    return { keys: [recordKey(item), viewsKey(item)], args: [amount] };
  });
  const entryVisits = summing<VisitReply>('visitEntry', (subject, amount) => {
    const { store, key } = splitEntryName(subject);
    if (amount > 0) onCounted(store);
    return { keys: [recordKey(store), viewsKey(store), entriesKey(store)], args: [amount, key] };
  });
  const parseItem = createRecordParser();
  const parseEntry = createEntryParser();

  const viewsAt = (item: string, itemRecord: ItemRecord, outcome: TickOutcome<VisitReply>): number => {
    const [, reached, missed] = outcome.result;
    if (!isOpen(itemRecord)) return reached;
    if (missed === 0) return ordinal(outcome, reached);
    onFull();
    return reached + counters.keep(item, outcome.amount);
  };

  return async (item, key, readers) => {
    if (!trust.isCurrent.items && redis.status === 'ready') return NOTHING_KNOWN;
    const { era } = trust;
    try {
      const outcome = await (key === null
        ? visits(item, readers)
        : entryVisits(entryName(item, key), readers));
      // The command went out on the next connection, perhaps to a server that lost data.
      if (trust.era !== era) throw new DOMException('the connection was lost meanwhile', 'AbortError');
      const [record, , , known = null] = outcome.result;
      if (record === null) return NOTHING_KNOWN;
      const itemRecord = parseItem(record);
      const views = viewsAt(item, itemRecord, outcome);
      const isKnown = known !== null && trust.isCurrent.entries;
      return { record: itemRecord, views, entry: isKnown ? entryOf(itemRecord, parseEntry(known)) : null };
    } catch (error) {
      throw readers > 0 && mayStillRun(error)
        ? errors.timeout('cache', error)
        : errors.unavailable('cache', error);
    }
  };
}

const NOTHING_KNOWN: EntryVisit = { record: null, views: 0, entry: null };

/** A record of an earlier store under the same address counts for nothing. */
const entryOf = (itemRecord: ItemRecord, record: CachedEntry): CachedEntry | null =>
  itemRecord.state === 'live' && record.store === itemRecord.code ? record : null;
