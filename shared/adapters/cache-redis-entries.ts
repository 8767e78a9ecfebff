import type { CachedEntry } from '../items/entry.ts';
import { type ItemRef, itemKey } from '../items/item.ts';
import type { RedisCommands } from './cache-redis-commands.ts';
import { entriesKey, entryRecord, routeKey } from './cache-redis-records.ts';

/** `Cache.putEntry`: whether the record is now the given one. */
type EntryPut = (item: ItemRef, record: CachedEntry, expiresAt: number) => Promise<boolean>;

/** Puts records of keys; those of one turn into one store are one command. */
export function createEntryPuts(inGroups: RedisCommands['inGroups']): EntryPut {
  const put = inGroups<CachedEntry, number>('putEntries', (subject, records) => {
    const { expiresAt, item } = splitSubject(subject);
    const args = records.flatMap((record) => [record.key, record.sequence, entryRecord(record)]);
    return [routeKey(item), entriesKey(item), expiresAt, ...args];
  });
  return async (item, record, expiresAt) => (await put(`${expiresAt} ${itemKey(item)}`, record)) === 1;
}

function splitSubject(subject: string): { expiresAt: string; item: string } {
  const end = subject.indexOf(' ');
  return { expiresAt: subject.slice(0, end), item: subject.slice(end + 1) };
}
