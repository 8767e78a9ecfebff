import { createHash } from 'node:crypto';
import type { CallContext } from '../../../../shared/contracts/operation.ts';
import { PerchError } from '../../../../shared/errors.ts';
import type { Entry } from '../../../../shared/items/entry.ts';
import { type ItemRecordOf, isKind, isThere } from '../../../../shared/items/item-record.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { admissionTo, type Snapshot, type Topic } from '../../live/topic.ts';
import type { StoreEntries } from './entries.ts';

type LiveDependencies = Pick<ReadDependencies, 'lookup' | 'clock' | 'live'>;

/** Time between two looks at all keys of a store, in ms: one that is written all the time costs no more than that. */
const REST_MS = 1_000;

/** Answers with an event whenever a store has other keys or values than before; it says how many keys there are (specification 5.9). */
export async function streamStore(
  deps: LiveDependencies,
  entries: StoreEntries,
  context: RequestContext,
  record: ItemRecordOf<'kv'>,
): Promise<Response> {
  const known = await readState(entries, record, context.callContext);
  return deps.live.stream(context, topicOf(deps, entries, record), known);
}

const topicOf = (
  { lookup, clock }: LiveDependencies,
  entries: StoreEntries,
  { namespace, id }: ItemRecordOf<'kv'>,
): Topic => ({
  item: { namespace, id },
  key: null,
  restMs: REST_MS,
  async read(context) {
    const { record } = await lookup.find({ namespace, id }, context, false);
    if (!isThere(record, clock.now()) || !isKind(record, 'kv')) return null;
    try {
      return await readState(entries, record, context);
    } catch (error) {
      if (error instanceof PerchError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  },
});

/** Looks at stores so far: a store has no number of its own that grows with each change of a key. */
let looks = 0;

async function readState(
  entries: StoreEntries,
  record: ItemRecordOf<'kv'>,
  context: CallContext,
): Promise<Snapshot> {
  looks += 1;
  const order = looks;
  const listed = await entries.list(record, 0, context);
  return {
    ...admissionTo(record),
    ...{ order, id: digestOfEntries(record, listed), data: JSON.stringify({ count: listed.length }) },
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
