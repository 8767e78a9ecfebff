import type { CachedEntry } from '../../items/entry.ts';
import { type ItemRef, itemKey } from '../../items/item.ts';
import type { RedisCommands } from './redis-commands.ts';
import { entriesKey, entryRecord, recordKey } from './redis-records.ts';

/** The script's reply for a record that it had no room for. */
const NO_ROOM = -1;

/** `Cache.putEntry`: whether the record is now the given one. */
type EntryPut = (item: ItemRef, record: CachedEntry, expiresAt: number) => Promise<boolean>;

/**
 * Puts records of keys; those of one turn into one store are one command. Where Redis has no room for a value, a record
 * without it takes the place of an older one: readers then ask the service.
 */
export function createEntryPuts(grouping: RedisCommands['grouping'], onFull: () => void): EntryPut {
  const put = grouping<CachedEntry, number>('putEntries', (subject, records) => {
    const { expiresAt, item } = splitSubject(subject);
    const args = records.flatMap((record) => [record.key, record.sequence, entryRecord(record)]);
    return [recordKey(item), entriesKey(item), expiresAt, ...args];
  });
  return async (item, record, expiresAt) => {
    const subject = `${expiresAt} ${itemKey(item)}`;
    const outcome = await put(subject, record);
    if (outcome !== NO_ROOM) return outcome === 1;
    onFull();
    if (record.entry !== null) await put(subject, { ...record, entry: null });
    return false;
  };
}

function splitSubject(subject: string): { expiresAt: string; item: string } {
  const end = subject.indexOf(' ');
  return { expiresAt: subject.slice(0, end), item: subject.slice(end + 1) };
}
