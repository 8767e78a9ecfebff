import type { CallContext } from '../../../../shared/call-context.ts';
import { callToRead } from '../../../../shared/contracts/call.ts';
import { listEntries, readEntry } from '../../../../shared/contracts/kv.ts';
import type { ReplyOf } from '../../../../shared/contracts/operation.ts';
import { errors } from '../../../../shared/errors.ts';
import type { CachedEntry, Entry } from '../../../../shared/items/entry.ts';
import { itemKey } from '../../../../shared/items/item.ts';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import type { Bus } from '../../../../shared/ports/bus.ts';
import { createSharedCalls } from '../../items/shared-calls.ts';

type KvRecord = ItemRecordOf<'kv'>;
type EntryList = ReplyOf<typeof listEntries>['entries'];

/** Reads the keys of a store. A later store at the address of this one is never read in its place: its code differs. */
export interface StoreEntries {
  /**
   * The value of a key: the cache's when it has it, else the service's.
   * @throws NOT_FOUND of the key, or of the store
   */
  read(record: KvRecord, key: string, cached: CachedEntry | null, context: CallContext): Promise<Entry>;
  /** All keys; of those with a JSON text of up to so many bytes the value comes along. @throws NOT_FOUND */
  list(record: KvRecord, valuesUpTo: number, context: CallContext): Promise<EntryList>;
}

export function createStoreEntries(bus: Bus): StoreEntries {
  const askShared = createSharedCalls(bus, readEntry);

  const ask = async (record: KvRecord, key: string, context: CallContext): Promise<Entry | null> => {
    const callKey = `${itemKey(record)}/${key} ${record.code}`;
    return (await askShared(callKey, { ...storeOf(record), key }, context)).entry;
  };

  return {
    async read(record, key, cached, context) {
      const known = cached?.store === record.code ? cached : null;
      if (known !== null && known.entry !== null) return known.entry;
      const entry = await ask(record, key, context);
      if (entry === null) throw errors.keyNotFound(record.namespace, record.id, key);
      return entry;
    },
    async list(record, valuesUpTo, context) {
      return (await callToRead(bus, listEntries, { ...storeOf(record), valuesUpTo }, context)).entries;
    },
  };
}

const storeOf = ({ namespace, id, code }: KvRecord) => ({ namespace, id, store: code });
