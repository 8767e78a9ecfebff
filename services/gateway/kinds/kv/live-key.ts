import { PerchError } from '../../../../shared/errors.ts';
import type { CachedEntry, Entry } from '../../../../shared/items/entry.ts';
import { type ItemRecordOf, isKind, isThere } from '../../../../shared/items/item-record.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { admissionTo, type Snapshot, type Topic } from '../../live/topic.ts';
import type { StoreEntries } from './entries.ts';

type LiveDependencies = Pick<ReadDependencies, 'lookup' | 'clock' | 'live'>;

/** A key that a client has read, and may go on to follow. */
export interface ReadKey {
  record: ItemRecordOf<'kv'>;
  entry: Entry;
}

/** Answers with the value of a key and its changes (specification 5.8). */
export const streamKey = (
  deps: LiveDependencies,
  entries: StoreEntries,
  context: RequestContext,
  { record, entry }: ReadKey,
): Response => deps.live.stream(context, topicOf(deps, entries, record, entry.key), stateOf(record, entry));

/** Waits until a key may have another value; the caller reads it anew. */
export const waitForKey = (
  deps: LiveDependencies,
  entries: StoreEntries,
  context: RequestContext,
  { record, entry }: ReadKey,
  ms: number,
): Promise<void> =>
  deps.live.wait(context, topicOf(deps, entries, record, entry.key), stateOf(record, entry), ms);

function topicOf(
  { lookup, clock }: LiveDependencies,
  entries: StoreEntries,
  { namespace, id }: ItemRecordOf<'kv'>,
  key: string,
): Topic {
  const item = { namespace, id };
  return {
    item,
    key,
    async read(context, seen) {
      const { record, entry: cached } = await lookup.findEntry(item, key, context, false);
      if (!isThere(record, clock.now()) || !isKind(record, 'kv')) return null;
      if (isSeen(cached, record, seen)) return { ...admissionTo(record), order: seen, id: '', data: null };
      try {
        return stateOf(record, await entries.read(record, key, cached, context));
      } catch (error) {
        if (error instanceof PerchError && error.code === 'NOT_FOUND') return null;
        throw error;
      }
    },
  };
}

/** Whether the cache knows that nothing has changed; a value that is too large for it is then not read at all. */
const isSeen = (cached: CachedEntry | null, { code }: ItemRecordOf<'kv'>, seen: number): boolean =>
  cached !== null && cached.store === code && cached.sequence === seen;

const stateOf = (record: ItemRecordOf<'kv'>, { sequence, version, value }: Entry): Snapshot => ({
  ...admissionTo(record),
  ...{ order: sequence, id: String(version), data: value },
});
