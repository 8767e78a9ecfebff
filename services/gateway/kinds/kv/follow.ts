import { createHash } from 'node:crypto';
import type { CallContext } from '../../../../shared/call-context.ts';
import type { CachedEntry, Entry } from '../../../../shared/items/entry.ts';
import { type ItemRecord, type ItemRecordOf, isKind, isLive } from '../../../../shared/items/item-record.ts';
import { PerchError } from '../../../../shared/perch-error.ts';
import { hasCurrent } from '../../http/conditional.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { readWait, wantsEvents } from '../../live/follow-request.ts';
import { accessRules, type Snapshot, type Topic } from '../../live/topic.ts';
import type { StoreDependencies } from './dependencies.ts';
import type { StoreEntries } from './entries.ts';
import { etagOfEntry } from './serializer.ts';

type LiveDependencies = Pick<StoreDependencies, 'lookup' | 'clock' | 'live' | 'storeEntries'>;

/** A key that a client has read, and may go on to follow. */
interface ReadKey {
  record: ItemRecordOf<'kv'>;
  entry: Entry;
}

/**
 * Answers a read of a key: with its value, or with events that tell of its changes; with `wait`, when its value is another one
 * than the client has, or at the end of that time (specification 5.8).
 * @param again reads the key after such a wait
 */
export async function answerKey<Found extends ReadKey>(
  deps: LiveDependencies,
  context: RequestContext,
  answer: (found: Found) => Promise<Response>,
  read: () => Promise<Found>,
  again = read,
): Promise<Response> {
  const waitMs = readWait(context);
  /** An inner function, so that no variable holds the value, which the client has, while it waits for the next. */
  const answerNow = async (): Promise<Response | { topic: Topic; known: Snapshot }> => {
    const found = await read();
    const { record, entry } = found;
    const topic = topicOfKey(deps, record, entry.key);
    if (wantsEvents(context)) return deps.live.stream(context, topic, stateOfKey(record, entry));
    if (waitMs === 0 || context.isHead || !hasCurrent(context.request, etagOfEntry(entry)))
      return await answer(found);
    return { topic, known: { ...stateOfKey(record, entry), data: null } };
  };
  const first = await answerNow();
  if (first instanceof Response) return first;
  await deps.live.wait(context, first.topic, first.known, waitMs);
  return await answer(await again());
}

function topicOfKey(
  { lookup, clock, storeEntries }: LiveDependencies,
  { namespace, id }: ItemRecordOf<'kv'>,
  key: string,
): Topic {
  const item = { namespace, id };
  return {
    item,
    key,
    async read(context, seen) {
      const { record: found, entry: cached } = await lookup.find(item, context, { key });
      return await unlessGone(found, clock.now(), async (record) =>
        isSeen(cached, record, seen)
          ? { ...accessRules(record), order: seen, id: '', state: '', data: null }
          : stateOfKey(record, await storeEntries.read(record, key, cached, context)),
      );
    },
  };
}

/** Whether the cache knows that nothing has changed; a value that is too large for it is then not read at all. */
const isSeen = (cached: CachedEntry | null, { code }: ItemRecordOf<'kv'>, seen: number): boolean =>
  cached !== null && cached.store === code && cached.sequence === seen;

const stateOfKey = (record: ItemRecordOf<'kv'>, { sequence, version, value }: Entry): Snapshot => ({
  ...accessRules(record),
  // A key that was removed and made again begins with version 1 anew: its sequence, of all keys, does not.
  order: sequence,
  id: `${version}.${sequence}`,
  state: String(sequence),
  data: value,
});

/** `null` where there is no store any more, or not the key that is read. */
async function unlessGone(
  record: ItemRecord | null,
  now: number,
  read: (record: ItemRecordOf<'kv'>) => Promise<Snapshot>,
): Promise<Snapshot | null> {
  if (!isLive(record, now) || !isKind(record, 'kv')) return null;
  try {
    return await read(record);
  } catch (error) {
    if (error instanceof PerchError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** Time between two snapshots of a store, in ms: bounds what a store that is written all the time costs. */
const MIN_INTERVAL_MS = 1_000;

/** Answers with an event whenever a store has other keys or values than before; it says how many keys there are (specification 5.9). */
export async function streamStore(
  { lookup, clock, live, storeEntries }: LiveDependencies,
  context: RequestContext,
  record: ItemRecordOf<'kv'>,
): Promise<Response> {
  const { namespace, id } = record;
  const topic: Topic = {
    item: { namespace, id },
    key: null,
    minIntervalMs: MIN_INTERVAL_MS,
    async read(later) {
      const found = await lookup.find({ namespace, id }, later);
      return await unlessGone(found.record, clock.now(), (now) => stateOfStore(storeEntries, now, later));
    },
  };
  return live.stream(context, topic, await stateOfStore(storeEntries, record, context.callContext));
}

/** Orders snapshots of stores by when they were read: a store has no sequence of its own. */
let snapshotCount = 0;

async function stateOfStore(
  entries: StoreEntries,
  record: ItemRecordOf<'kv'>,
  context: CallContext,
): Promise<Snapshot> {
  snapshotCount += 1;
  const order = snapshotCount;
  const listed = await entries.list(record, 0, context);
  const digest = digestOfEntries(record, listed);
  return {
    ...accessRules(record),
    order,
    id: digest,
    state: digest,
    data: JSON.stringify({ count: listed.length }),
  };
}

/** Changes with the store, and with any of its values. */
export function digestOfEntries(
  { code }: ItemRecordOf<'kv'>,
  entries: ReadonlyArray<Pick<Entry, 'sequence'>>,
  ...others: number[]
): string {
  const parts = [code, ...others, ...entries.map(({ sequence }) => sequence)];
  return createHash('sha256').update(parts.join(' ')).digest('base64url').slice(0, 22);
}
